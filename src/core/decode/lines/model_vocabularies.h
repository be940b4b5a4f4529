#pragma once
// The vocabularies inside a model file.
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// DataError naming the file: unusable vocabularies, or vocabulary sizes that differ from the
// configuration.
text::VocabularyPair vocabularies_of(const model::LoadedModel& model, const std::string& file);

}  // namespace hexapla::decode
