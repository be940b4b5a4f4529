#pragma once
// The vocabularies inside a model file.
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// DataError naming the file: no vocabularies that can be used, or of other sizes than the configuration has.
text::VocabularyPair vocabularies_of(const model::LoadedModel& model, const std::string& file);

}  // namespace hexapla::decode
