#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A Transformer trained by Marian: model.npz or model.bin, with decoder.yml (or
// model.npz.decoder.yml) and the vocabularies it names in the same folder: SentencePiece models
// (.spm), or tables of pieces (.yml) with source.spm and target.spm, as in OPUS-MT. Includes models
// of Firefox Translations and Bergamot: 8-bit weights, an SSRU in the decoder, config*.yml or no
// settings. path: the model, or its folder.
bool is_marian(const std::string& path);
// Computes the same as Marian: the wavelengths of its timing signal, epsilon 1e-6, a start token
// with a zero embedding. DataError naming the file and the setting: anything that our models cannot
// represent.
ForeignModel read_marian(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
