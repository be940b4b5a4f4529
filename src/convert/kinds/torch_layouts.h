#pragma once
// The Transformers that are written in PyTorch over and over, by the names of their parameters: torch.nn.Transformer,
// the Annotated Transformer's (Rush 2018), jadore801120's attention-is-all-you-need-pytorch and the notes' modules that
// follow it, and the one of bentrevett's tutorial pytorch-seq2seq.
#include <string>
#include <vector>

#include "convert/adjusted_tensors.h"
#include "convert/foreign_model.h"
#include "convert/kinds/layer_names.h"

namespace hexapla::convert {

// What lies around the stacks: names of tensors, "" where there is none.
struct Surroundings {
  std::string source, target;   // embeddings [V, d_model]
  std::string generator, bias;  // [V, d_model], [V]
  std::string source_positions = {}, target_positions = {};
};

// A layout, of tensors below a prefix ("transformer.").
struct TorchLayout {
  const char *name, *origin;  // "torch-transformer", "torch.nn.Transformer"
  const char* anchor;         // a tensor that this layout alone has
  // Layers, widths and norms: all that the stacks say of a configuration.
  void (*configure)(const ForeignTensors& tensors, const std::string& prefix, const ImportOptions& options,
                    model::Config& c);
  // Where its embeddings and generator are, unless a user says so.
  Surroundings (*surroundings)(const ForeignTensors& tensors, const std::string& prefix);
  // The stacks' parameters. Tensors may be adjusted.
  void (*name_stacks)(AdjustedTensors& tensors, const std::string& prefix, const model::Config& c, WeightNames& names);
  bool opened = false;      // sources begin with the token that translations start with
  bool own_numbers = true;  // the activation and the epsilon of the norms are the layout's own
};
const std::vector<TorchLayout>& torch_layouts();

}  // namespace hexapla::convert
