#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// Hugging Face transformers' M2M100ForConditionalGeneration (M2M-100, NLLB-200),
// MBartForConditionalGeneration (mBART-50) and BartForConditionalGeneration: a folder with
// config.json, weights (open_hugging_face_weights()), pieces (pieces_in()), the tokenizer's files
// that name the languages, and optionally generation_config.json.
bool is_hugging_face_multilingual(const std::string& folder);
// Computes the same as transformers. Sources begin with their language, translations with theirs,
// which is not scored; BART has <s> in both places. options.source_language and target_language set
// the model's defaults; if empty, the folder's files do. DataError naming file and field: a file is
// missing or damaged, or a field is not valid for such a model. UsageError: no such language.
ForeignModel read_hugging_face_multilingual(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
