#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A JoeyNMT Transformer (Kreutzer et al. 2019): its folder with config.yaml, a checkpoint
// (best.ckpt, or the last one), src_vocab.txt and trg_vocab.txt, and optionally SentencePiece
// models; or one of the folder's checkpoints.
bool is_joeynmt(const std::string& path);
// Computes the same as JoeyNMT. DataError naming file and field that our models cannot represent.
ForeignModel read_joeynmt(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
