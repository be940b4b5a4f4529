#pragma once
// A model's parameters under the paper's names: W_Q, W_K and W_V, stored side by side in the
// model's file, are separate.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Columns of a parameter with their own name.
struct Part {
  std::string name;
  Tensor values;  // a view
};
// For encoder.layers.0.self_attention.qkv.weight: ...query.weight, ...key.weight, ...value.weight;
// for key_value: key and value. The same for biases. Any other parameter is one part with its name.
std::vector<Part> parts_of(const std::string& name, Tensor values, const model::Config& config);

// Adds every parameter and every buffer.
void add_parameters(Recorder& seen, const model::Transformer& model);

}  // namespace hexapla::inspect
