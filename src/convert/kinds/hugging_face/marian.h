#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// MarianMTModel of Hugging Face's transformers (opus-mt): a folder with config.json, model.safetensors (or several,
// with their index) or pytorch_model.bin, source.spm, target.spm, vocab.json and perhaps target_vocab.json and
// generation_config.json.
bool is_hugging_face_marian(const std::string& folder);
// Computes what transformers computes: sinusoids in halves, epsilon 1e-5, and the start token is padding. DataError
// naming file and field: a file is missing or damaged, or a field says what no such model has.
ForeignModel read_hugging_face_marian(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
