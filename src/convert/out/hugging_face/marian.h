#pragma once
// Models for transformers: the folder of a MarianMTModel with its MarianTokenizer.
#include <string>
#include <vector>

#include "decode/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// model.safetensors (f32, or the 16 bits that the model's file has), config.json, generation_config.json, source.spm,
// target.spm, vocab.json, target_vocab.json where the two languages have different pieces, and tokenizer_config.json,
// as AutoModelForSeq2SeqLM and AutoTokenizer load them. search: that of generation_config.json. The paper's sinusoids
// become Marian's by another order of the dimensions. -> what is not the same there, for the user. DataError: the model
// has what MarianMT cannot say. UsageError: there is something at `folder`. RunError: the disk.
std::vector<std::string> export_hugging_face_marian(model::LoadedModel& model, const std::string& folder,
                                                    const decode::BeamOptions& search);

}  // namespace hexapla::convert
