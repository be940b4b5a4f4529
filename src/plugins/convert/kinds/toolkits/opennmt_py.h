#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// An OpenNMT-py Transformer (Klein et al. 2017), versions 2 and 3: a torch.save() checkpoint with
// its options and vocabularies; its weights may be in a .safetensors file of the same name.
bool is_opennmt_py(const std::string& path);
// Computes the same as OpenNMT-py; sources have no </s>. DataError naming file and option that our
// models cannot represent.
ForeignModel read_opennmt_py(const std::string& path, const ImportOptions& options);

}  // namespace hexapla::convert
