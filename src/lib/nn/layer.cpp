#include <cstring>

#include "base/range.h"
#include "lib/guard.h"
#include "lib/nn/layer_state.h"

namespace hexapla {
namespace api {

nn::Parameter view_of(const std::string& name, const Shape& shape, const Tensor& value, const Tensor& gradient) {
  nn::Parameter view{
      name, {}, value.data<float>(), gradient ? gradient.data<float>() : nullptr, static_cast<size_t>(shape.size())};
  for (int i = 0; i < shape.rank(); ++i) view.shape.push_back(shape[i]);
  return view;
}

namespace {

// UsageError: a null pointer.
std::vector<LayerState*> states_of(const nn::Layers& layers) {
  std::vector<LayerState*> all;
  for (nn::Layer* layer : layers) {
    if (!layer) throw UsageError("one of the layers is a null pointer", "layers", "");
    all.push_back(layer->state().get());
  }
  return all;
}

}  // namespace
}  // namespace api

namespace nn {

std::vector<Parameter> Layer::parameters() {
  return api::guarded([&] { return state()->views(); });
}

const std::shared_ptr<api::LayerState>& Layer::state() const {
  if (!state_) throw UsageError("this layer was moved from");
  return state_;
}

void initialize(const Layers& layers, std::uint64_t seed, double gain) {
  api::guarded([&] {
    ranges::kFrom0.check("gain", gain);
    std::uint64_t n = 0;
    for (api::LayerState* state : api::states_of(layers)) state->initialize(api::named_seed(seed, n++), gain);
  });
}

void clear_gradients(const Layers& layers) {
  api::guarded([&] {
    for (api::LayerState* state : api::states_of(layers))
      if (const hexapla::Tensor g = state->parameters().gradients()) std::memset(g.bytes, 0, g.size() * sizeof(float));
  });
}

}  // namespace nn
}  // namespace hexapla
