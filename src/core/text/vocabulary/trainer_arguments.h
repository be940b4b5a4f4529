#pragma once
// Vocabulary options as SentencePiece's trainer takes them.
#include <string>
#include <unordered_map>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// UsageError: an option out of range.
void check_vocabulary_options(const VocabularyOptions& options);

std::unordered_map<std::string, std::string> trainer_arguments(const VocabularyOptions& options);

}  // namespace hexapla::text
