#include "decode/packed_weights.h"

#include "model/quantise.h"

namespace hexapla {

PackedWeights::PackedWeights(Backend& backend, Transformer& net) : backend_(backend) {
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    if (quantisable(name, p) == ScaleOf::columns) pack(p.value, p.integers, p.scales);
  });
  if (net.generator.weight) return;
  const Parameter& table = net.target_embedding().table;
  pack(net.generator_weight(), table.integers ? table.integers.transposed() : Tensor(), table.scales);
}

void PackedWeights::pack(Tensor w, Tensor integers, Tensor scales) {
  if (integers)
    backend_.pack_quantised(w, integers, scales);
  else
    backend_.pack(w);
  weights_.push_back(w);
}

PackedWeights::PackedWeights(Backend& backend, LoadedModel& model) : PackedWeights(backend, *model.net) {
  if (!model.file) return;
  for (const TensorEntry& t : model.file->tensors()) model.file->forget(t);
}

PackedWeights::~PackedWeights() {
  for (const Tensor& w : weights_) backend_.unpack(w);
}

}  // namespace hexapla
