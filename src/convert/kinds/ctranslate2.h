#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A CTranslate2 model folder: model.bin (TransformerSpec, float32, float16, bfloat16, int8, int16), config.json, and
// vocabularies as .json or .txt, shared or one for each side.
bool is_ctranslate2(const std::string& folder);
// Computes what CTranslate2 computes with these weights in float32. DataError naming file and field: a file is missing
// or damaged, or the model has parts that no model of ours has.
ForeignModel read_ctranslate2(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
