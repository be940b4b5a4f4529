#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A model folder of CTranslate2: model.bin, config.json (from version 6 on) and vocabularies as lists of tokens, or a
// package of Argos Translate around one. SentencePiece models that lie beside it cut text (source.spm and target.spm,
// sentencepiece.model, sentencepiece.bpe.model), or those that the options name.
bool is_ctranslate2(const std::string& folder);
// Computes what CTranslate2 computes with these weights in f32. DataError naming file and variable or key: what no
// model of ours can be is refused by its name.
ForeignModel read_ctranslate2(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
