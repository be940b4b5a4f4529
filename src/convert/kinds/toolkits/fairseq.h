#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A Transformer of fairseq (Ott et al. 2019): a checkpoint that torch.save() wrote, or the folder that it is in, with
// dict.<language>.txt of both sides, and perhaps sentencepiece.bpe.model.
bool is_fairseq(const std::string& path);
// Computes what fairseq computes. The options are those that the checkpoint records. DataError naming file and option
// where that is no model of ours; UsageError naming the option: a dictionary is missing.
ForeignModel read_fairseq(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
