#include "decode/packed_weights.h"

namespace hexapla {

PackedWeights::PackedWeights(Backend& backend, Transformer& model) : backend_(backend) {
  for_each<Parameter>(model, [&](const std::string& name, Parameter& p) {
    if (name.ends_with(".weight") && p.shape.rank() == 2) weights_.push_back(p.value);
  });
  if (!model.generator.weight) weights_.push_back(model.generator_weight());
  for (const Tensor& w : weights_) backend_.pack(w);
}

PackedWeights::~PackedWeights() {
  for (const Tensor& w : weights_) backend_.unpack(w);
}

}  // namespace hexapla
