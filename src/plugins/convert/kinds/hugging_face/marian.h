#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// Hugging Face transformers' MarianMTModel (opus-mt): a folder with config.json, model.safetensors
// (or several and their index) or pytorch_model.bin, source.spm, target.spm, vocab.json and
// optionally target_vocab.json and generation_config.json.
bool is_hugging_face_marian(const std::string& folder);
// Computes the same as transformers: sinusoids in halves, epsilon 1e-5, and padding as the start
// token. DataError naming file and field: a file is missing or damaged, or a field is not valid for
// such a model.
ForeignModel read_hugging_face_marian(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
