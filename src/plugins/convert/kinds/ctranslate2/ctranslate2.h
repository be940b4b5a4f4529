#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A CTranslate2 model folder: model.bin, config.json (from version 6 on) and vocabularies as lists
// of tokens; or an Argos Translate package that contains one. Text is split by SentencePiece models
// in the folder (source.spm and target.spm, sentencepiece.model, sentencepiece.bpe.model), or those
// that the options name.
bool is_ctranslate2(const std::string& folder);
// Computes the same as CTranslate2 with these weights in f32. DataError naming file and variable or
// key: anything that our models cannot represent.
ForeignModel read_ctranslate2(const std::string& folder, const ImportOptions& options);

}  // namespace hexapla::convert
