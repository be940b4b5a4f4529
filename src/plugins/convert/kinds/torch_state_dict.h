#pragma once
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// A torch.save() file with the parameters of one of torch_layouts() (kinds/torch_layouts.h), alone
// or under a key of a checkpoint, or the same as safetensors.
bool is_torch_state_dict(const std::string& file);
// Heads and vocabularies come from the options. UsageError: an option is missing. DataError naming
// file and tensor: the file is damaged, or not such a model.
ForeignModel read_torch_state_dict(const std::string& file, const ImportOptions& options);

}  // namespace hexapla::convert
