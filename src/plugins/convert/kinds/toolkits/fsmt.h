#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// transformers' FSMT (wmt19): fairseq's Transformer with a vocabulary per side, whose text Moses'
// tokenizer has split into words. A folder with config.json, weights, vocab-src.json, vocab-tgt.json
// and merges.txt. DataError naming file and key.
bool is_fsmt(const std::string& folder);
ForeignModel read_fsmt(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
