#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A Transformer that Marian trained: model.npz or model.bin, with decoder.yml (or model.npz.decoder.yml) and the
// vocabularies that it names beside it: SentencePiece models (.spm), or tables of pieces (.yml) with source.spm and
// target.spm, as OPUS-MT has them. Models of Firefox Translations and Bergamot are such: weights of 8 bits, an SSRU in
// the decoder, config*.yml or no settings at all. path: the model, or its folder.
bool is_marian(const std::string& path);
// Computes what Marian computes: the wavelengths of its timing signal, epsilon 1e-6, a start token whose embedding is
// zero. DataError naming the file and the setting: what no model of ours can be is refused by its name.
ForeignModel read_marian(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
