#include "decode/packed_weights.h"

namespace hexapla {

PackedWeights::PackedWeights(Backend& backend, Transformer& net) : backend_(backend) {
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    if (name.ends_with(".weight") && p.shape.rank() == 2) weights_.push_back(p.value);
  });
  if (!net.generator.weight) weights_.push_back(net.generator_weight());
  for (const Tensor& w : weights_) backend_.pack(w);
}

PackedWeights::PackedWeights(Backend& backend, LoadedModel& model) : PackedWeights(backend, *model.net) {
  if (!model.file) return;
  for (const TensorEntry& t : model.file->tensors()) model.file->forget(t);
}

PackedWeights::~PackedWeights() {
  for (const Tensor& w : weights_) backend_.unpack(w);
}

}  // namespace hexapla
