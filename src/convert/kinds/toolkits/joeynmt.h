#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A Transformer of JoeyNMT (Kreutzer et al. 2019): its folder with config.yaml, a checkpoint (best.ckpt, or the last of
// the others), src_vocab.txt and trg_vocab.txt, and perhaps SentencePiece models; or one of the folder's checkpoints.
bool is_joeynmt(const std::string& path);
// Computes what JoeyNMT computes. DataError naming file and field where that is no model of ours.
ForeignModel read_joeynmt(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
