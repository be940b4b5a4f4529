#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A fairseq Transformer (Ott et al. 2019): a torch.save() checkpoint, or its folder, with
// dict.<language>.txt of both sides and optionally sentencepiece.bpe.model.
bool is_fairseq(const std::string& path);
// Computes the same as fairseq with the options recorded in the checkpoint. DataError naming file
// and option that our models cannot represent. UsageError naming the option: no dictionary.
ForeignModel read_fairseq(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
