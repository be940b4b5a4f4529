#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// M2M100ForConditionalGeneration (M2M-100, NLLB-200), MBartForConditionalGeneration (mBART-50) and
// BartForConditionalGeneration of Hugging Face's transformers: a folder with config.json, weights as
// open_hugging_face_weights() finds them, what cuts text into pieces (pieces_in()), the tokenizer's files that name its
// languages, and perhaps generation_config.json.
bool is_hugging_face_multilingual(const std::string& folder);
// Computes what transformers computes. Sources begin with their language, and so do translations, at no cost in the
// score; BART has <s> in both places. options.source_language and target_language are what the model has without being
// told; else what the folder's files say. DataError naming file and field: a file is missing or damaged, or a field
// says what no such model has. UsageError: no such language.
ForeignModel read_hugging_face_multilingual(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
