#pragma once
#include "convert/foreign_model.h"

namespace hexapla::convert {

// A file of torch.save() with the parameters of one of torch_layouts() (kinds/torch_layouts.h), alone or under a key of
// a checkpoint, or the same in safetensors.
bool is_torch_state_dict(const std::string& file);
// Heads and vocabularies are not among the parameters: the options have them. UsageError: an option is missing.
// DataError naming file and tensor: the file is damaged, or no such model.
ForeignModel read_torch_state_dict(const std::string& file, const ImportOptions& options);

}  // namespace hexapla::convert
