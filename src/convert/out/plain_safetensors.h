#pragma once
// Models for programs of any kind: weights, and a list of what they are.
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// A folder with model.safetensors (f32, or the 16 bits that the model's file has, under the names of our parameters),
// map.json, which says what import needs to know (kinds/mapped/mapped_safetensors.h), the SentencePiece models:
// source.spm and target.spm, or sentencepiece.model where both are one; and the same vocabularies for Hugging Face's
// tokenizers (tokenizer_json.h): tokenizer.json, or source_tokenizer.json and target_tokenizer.json. -> for the user,
// why one of these is not there. DataError: running statistics of BatchNorm, for which a map has no place. UsageError:
// there is something at `folder`. RunError: the disk.
std::vector<std::string> export_safetensors(model::LoadedModel& model, const std::string& folder);

}  // namespace hexapla::convert
