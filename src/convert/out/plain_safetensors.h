#pragma once
// Models for programs of any kind: weights, and a list of what they are.
#include <string>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// A folder with model.safetensors (f32, the names of our parameters), map.json, which says what import needs to know
// (kinds/mapped/mapped_safetensors.h), and the SentencePiece models: source.spm and target.spm, or sentencepiece.model
// where both are one. DataError: running statistics of BatchNorm, for which a map has no place. UsageError: there is
// something at `folder`. RunError: the disk.
void export_safetensors(model::LoadedModel& model, const std::string& folder);

}  // namespace hexapla::convert
