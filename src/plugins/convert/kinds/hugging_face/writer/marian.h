#pragma once
// Export to transformers: the folder of a MarianMTModel with its MarianTokenizer.
#include <string>
#include <vector>

#include "decode/options/named/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// Writes model.safetensors (f32, or the 16-bit type of the model's file), config.json,
// generation_config.json, source.spm, target.spm, vocab.json, target_vocab.json if the languages
// have different pieces, and tokenizer_config.json, for AutoModelForSeq2SeqLM and AutoTokenizer.
// search: for generation_config.json. The paper's sinusoids become Marian's by reordering the
// dimensions. Returns notes for the user on differences. DataError: MarianMT cannot represent the
// model. UsageError: `folder` exists and is not empty. RunError: writing failed.
std::vector<std::string> export_hugging_face_marian(model::LoadedModel& model, const std::string& folder,
                                                    const decode::DecodingOptions& search);

}  // namespace hexapla::convert
