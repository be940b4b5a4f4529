#pragma once
// A run's own copies of its vocabularies: DIR/vocab.spm where both sides have the same one, to the bytes, else
// DIR/vocab.source.spm and DIR/vocab.target.spm. So a resumed run has the same pieces even if the text, or the file
// that was given, has gone.
#include <optional>
#include <string>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::train {

// separate: the run is asked for a vocabulary for each side. UsageError: the folder holds two, and it is not.
std::optional<text::VocabularyPair> vocabularies_of_run(const std::string& run, bool separate);

// Expects the caller to hold the folder's RunLock. RunError.
void keep_vocabularies(const std::string& run, const text::Vocabulary& source, const text::Vocabulary& target,
                       bool separate);

// The bytes of {source, target}; none: the folder has no copies.
std::optional<std::pair<std::string, std::string>> vocabulary_bytes_of_run(const std::string& run);

}  // namespace hexapla::train
