#pragma once
// The parameters of a model under the names of the paper: W_Q, W_K and W_V, which lie side by side in the model's file,
// are three.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// The columns of a parameter that go by a name of their own.
struct Part {
  std::string name;
  Tensor values;  // a view
};
// Of encoder.layers.0.self_attention.qkv.weight: ...query.weight, ...key.weight, ...value.weight; of key_value: key and
// value. Their biases likewise. Any other parameter is one part, under its own name.
std::vector<Part> parts_of(const std::string& name, Tensor values, const model::Config& config);

// Adds every parameter and every buffer.
void add_parameters(Recorder& seen, const model::Transformer& model);

}  // namespace hexapla::inspect
