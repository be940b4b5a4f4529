#pragma once
// Export for arbitrary programs: the weights, and a description.
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// Writes a folder with model.safetensors (f32, or the 16-bit type of the model's file, with our
// parameters' names), map.json, which import needs (kinds/mapped/mapped_safetensors.h), the
// SentencePiece models: source.spm and target.spm, or sentencepiece.model if they are the same; and
// the vocabularies for Hugging Face's tokenizers (tokenizer_json.h): tokenizer.json, or
// source_tokenizer.json and target_tokenizer.json. Returns notes on those that cannot be written.
// DataError: running statistics of BatchNorm, which a map cannot express. UsageError: `folder`
// exists and is not empty. RunError: writing failed.
std::vector<std::string> export_safetensors(model::LoadedModel& model, const std::string& folder);

}  // namespace hexapla::convert
