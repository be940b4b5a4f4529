#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A Transformer of OpenNMT-py (Klein et al. 2017), versions 2 and 3: a checkpoint that torch.save() wrote, with its
// options and vocabularies in it; its weights may be in a .safetensors of the same name beside it.
bool is_opennmt_py(const std::string& path);
// Computes what OpenNMT-py computes; sources end with their last token. DataError naming file and option where that is
// no model of ours.
ForeignModel read_opennmt_py(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
