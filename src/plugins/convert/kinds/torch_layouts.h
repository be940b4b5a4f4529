#pragma once
// Common PyTorch Transformers, recognized by the names of their parameters: torch.nn.Transformer,
// the Annotated Transformer (Rush 2018), jadore801120's attention-is-all-you-need-pytorch and the
// notes' modules that follow it, and bentrevett's tutorial pytorch-seq2seq.
#include <string>
#include <vector>

#include "convert/foreign/adjusted_tensors.h"
#include "convert/foreign/foreign_model.h"
#include "convert/kinds/layer_names.h"

namespace hexapla::convert {

// The tensors outside the stacks, by name; "": none.
struct Surroundings {
  std::string source, target;   // embeddings [V, d_model]
  std::string generator, bias;  // [V, d_model], [V]
  std::string source_positions = {}, target_positions = {};
};

// A layout, with tensors below a prefix ("transformer.").
struct TorchLayout {
  const char *name, *origin;  // "torch-transformer", "torch.nn.Transformer"
  const char* anchor;         // a tensor that only this layout has
  // Sets layers, widths and norms: everything that the stacks determine.
  void (*configure)(const ForeignTensors& tensors, const std::string& prefix, const ImportOptions& options,
                    model::Config& c);
  // Default names of its embeddings and generator.
  Surroundings (*surroundings)(const ForeignTensors& tensors, const std::string& prefix);
  // Names the stacks' parameters. May adjust tensors.
  void (*name_stacks)(AdjustedTensors& tensors, const std::string& prefix, const model::Config& c, WeightNames& names);
  bool opened = false;      // sources begin with the token that starts translations
  bool own_numbers = true;  // the layout determines the activation and the norms' epsilon
};
const std::vector<TorchLayout>& torch_layouts();

}  // namespace hexapla::convert
