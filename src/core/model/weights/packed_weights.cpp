#include "model/weights/packed_weights.h"

#include "model/weights/quantize.h"
#include "tensor/half.h"

namespace hexapla::model {
namespace {

std::shared_ptr<const PackedWeight> pack(Backend& backend, Tensor w, Tensor integers, Tensor scales) {
  return integers ? backend.pack_quantized(integers, scales) : backend.pack(w);
}

// For 16-bit numbers. A backend without packed copies multiplies them in f32.
void pack_halves(Backend& backend, LoadedModel& model, Parameter& p) {
  const Pages memory(static_cast<size_t>(p.shape.size()) * size_of(DType::f32));
  const Tensor wide(memory.data(), p.shape, DType::f32), halves = p.value;
  widen(halves, wide);
  p.packed = backend.pack(wide);
  if (!p.packed) {
    p.value = model.room(p.shape, DType::f32);
    widen(halves, p.value);
  }
  model.give_back(halves);
}

// The target embedding is also the generator's weight, and its rows are looked up as well, so its
// numbers or integers stay.
void pack_tied_generator(Backend& backend, Parameter& table) {
  const Tensor integers = table.integers ? table.integers.transposed() : Tensor();
  table.packed = pack(backend, table.value.transposed(), integers, table.scales);
}

}  // namespace

void pack_weights(Backend& backend, LoadedModel& model) {
  for_each<Parameter>(*model.net, [&](const std::string& name, Parameter& p) {
    if (quantizable(name, p) != ScaleOf::columns) return;
    if (is_half(p.value.dtype)) return pack_halves(backend, model, p);
    p.packed = pack(backend, p.value, p.integers, p.scales);
    if (p.packed) model.give_back(p.value);
  });
  if (!model.net->generator.weight) pack_tied_generator(backend, model.net->embeddings.back().table);
}

}  // namespace hexapla::model
