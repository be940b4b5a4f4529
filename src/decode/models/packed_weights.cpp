#include "decode/models/packed_weights.h"

#include "model/weights/quantise.h"

namespace hexapla {

PackedWeights::PackedWeights(Backend& backend, Transformer& net) : backend_(backend) {
  pack_all(net, [](Tensor) {});
}

PackedWeights::PackedWeights(Backend& backend, LoadedModel& model) : backend_(backend) {
  pack_all(*model.net, [&](Tensor w) { model.give_back(w); });
}

void PackedWeights::pack_all(Transformer& net, const std::function<void(Tensor)>& copied) {
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    if (quantisable(name, p) != ScaleOf::columns) return;
    if (pack(p.value, p.integers, p.scales)) copied(p.integers ? p.integers : p.value);
  });
  if (!net.generator.weight) {  // the table of the target: its rows are looked up, too
    const Parameter& table = net.target_embedding().table;
    pack(net.generator_weight(), table.integers ? table.integers.transposed() : Tensor(), table.scales);
  }
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    if (p.integers && quantisable(name, p) == ScaleOf::rows) copied(p.integers);
  });
}

bool PackedWeights::pack(Tensor w, Tensor integers, Tensor scales) {
  weights_.push_back(w);
  if (!integers) return backend_.pack(w);
  backend_.pack_quantised(w, integers, scales);
  return true;
}

PackedWeights::~PackedWeights() {
  for (const Tensor& w : weights_) backend_.unpack(w);
}

}  // namespace hexapla
