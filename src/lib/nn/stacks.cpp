// Single encoder and decoder layers, and the stacks that follow the embedding in model::Encoder and
// model::Decoder.
#include "lib/nn/architecture.h"
#include "lib/nn/calls.h"
#include "model/decoder.h"

namespace hexapla {
namespace api {
namespace {

// One layer with either norm position.
template <class PostNorm, class PreNorm>
struct AnyLayer {
  std::variant<PostNorm, PreNorm> chosen;
  int64_t width;

  using Saved = typename PostNorm::Saved;
  explicit AnyLayer(const model::Config& c) : chosen(PostNorm(c)), width(c.d_model) {
    if (c.norm_position == "pre") chosen = PreNorm(c);
  }
  void visit(auto&& f) {
    std::visit([&](auto& layer) { layer.visit(f); }, chosen);
  }
  Tensor forward(Context& cx, Tensor x, Saved& s, const auto&... inputs) const {
    return std::visit([&](const auto& layer) { return layer.forward(cx, x, inputs..., s); }, chosen);
  }
  void backward(Context& cx, const Saved& s, Tensor d, auto... gradients) const {
    std::visit([&](const auto& layer) { layer.backward(cx, s, d, gradients...); }, chosen);
  }
};

// The layers of a model::Encoder or model::Decoder and the final norm.
template <class Whole>
struct Stack {
  decltype(Whole::layers) layers;
  std::optional<model::Norm> last_norm;
  int64_t width;

  struct Saved {
    decltype(Whole::Saved::layers) layers;
    Normalized last_norm;
  };
  explicit Stack(const model::Config& c) : width(c.d_model) {
    Whole whole(c);
    layers = std::move(whole.layers);
    last_norm = std::move(whole.last_norm);
  }
  void visit(auto&& f) {
    f("layers", layers);
    f("last_norm", last_norm);
  }
  Tensor forward(Context& cx, Tensor x, Saved& s, Offsets offsets, const auto&... memory) const {
    std::visit(
        [&](const auto& stack) {
          s.layers.resize(stack.size());
          for (size_t i = 0; i < stack.size(); ++i) x = stack[i].forward(cx, x, offsets, memory..., s.layers[i]);
        },
        layers);
    return last_norm ? model::forward(*last_norm, cx, {x}, offsets, s.last_norm) : x;
  }
  void backward(Context& cx, const Saved& s, Tensor d, auto... gradients) const {
    if (last_norm) model::backward(*last_norm, cx, s.last_norm, {}, d);
    std::visit(
        [&](const auto& stack) {
          for (size_t i = stack.size(); i-- > 0;) stack[i].backward(cx, s.layers[i], d, gradients...);
        },
        layers);
  }
};

using OneEncoderLayer = AnyLayer<model::EncoderLayer, model::PreNormEncoderLayer>;
using OneDecoderLayer = AnyLayer<model::DecoderLayer, model::PreNormDecoderLayer>;
using EncoderStack = Stack<model::Encoder>;
using DecoderStack = Stack<model::Decoder>;

template <class Module>
std::shared_ptr<LayerState> make(const Options& options) {
  return guarded([&] { return own(Module(architecture(options))); });
}

template <class Module>
nn::Tensor encode(nn::Workspace& work, const nn::Layer& layer, const nn::Tensor& x, const nn::Offsets& offsets) {
  return forward<typename Module::Saved>(work, layer, [&](Pass& pass, Context& cx, auto& saved) {
    const Module& module = module_of<Module>(layer);
    const Tensor rows = pass.take("x", x, module.width);
    return module.forward(cx, rows, saved, pass.take("offsets", offsets, rows.shape[0]));
  });
}

template <class Module>
nn::Tensor encode_backward(nn::Workspace& work, const nn::Layer& layer, const nn::Tensor& dy) {
  return backward<typename Module::Saved>(work, layer, dy, [&](Pass& pass, Context& cx, const auto& saved, Tensor d) {
    const Tensor dx = kept_copy(cx, d);
    module_of<Module>(layer).backward(cx, saved, dx);
    return pass.give(dx);
  });
}

// A decoder's state for its backward call, and the shape of the memory that it attended to.
template <class Module>
struct Decoded {
  typename Module::Saved saved;
  Shape memory;
};

template <class Module>
nn::Tensor decode(nn::Workspace& work, const nn::Layer& layer, const nn::DecoderInputs& in) {
  return forward<Decoded<Module>>(work, layer, [&](Pass& pass, Context& cx, auto& decoded) {
    const Module& module = module_of<Module>(layer);
    const Tensor x = pass.take("x", in.x, module.width), memory = pass.take("memory", in.memory, module.width);
    const Offsets rows = pass.take("offsets", in.offsets, x.shape[0]),
                  memory_rows = pass.take("memory_offsets", in.memory_offsets, memory.shape[0]);
    if (rows.size() != memory_rows.size())
      throw UsageError(cat("x has ", rows.size() - 1, " sentences, but the memory ", memory_rows.size() - 1),
                       "memory_offsets", "");
    decoded.memory = memory.shape;
    return module.forward(cx, x, decoded.saved, rows, memory, memory_rows);
  });
}

template <class Module>
nn::DecoderGradients decode_backward(nn::Workspace& work, const nn::Layer& layer, const nn::Tensor& dy) {
  return backward<Decoded<Module>>(work, layer, dy, [&](Pass& pass, Context& cx, const auto& decoded, Tensor d) {
    const Tensor dx = kept_copy(cx, d), d_memory = kept_zeros(cx, decoded.memory);
    module_of<Module>(layer).backward(cx, decoded.saved, dx, d_memory);
    return nn::DecoderGradients{pass.give(dx), pass.give(d_memory)};
  });
}

}  // namespace
}  // namespace api

namespace nn {

EncoderLayer::EncoderLayer(const Options& architecture) : Layer(api::make<api::OneEncoderLayer>(architecture)) {}
Tensor EncoderLayer::forward(Workspace& work, const Tensor& x, const Offsets& offsets) const {
  return api::encode<api::OneEncoderLayer>(work, *this, x, offsets);
}
Tensor EncoderLayer::backward(Workspace& work, const Tensor& dy) {
  return api::encode_backward<api::OneEncoderLayer>(work, *this, dy);
}

Encoder::Encoder(const Options& architecture) : Layer(api::make<api::EncoderStack>(architecture)) {}
Tensor Encoder::forward(Workspace& work, const Tensor& x, const Offsets& offsets) const {
  return api::encode<api::EncoderStack>(work, *this, x, offsets);
}
Tensor Encoder::backward(Workspace& work, const Tensor& dy) {
  return api::encode_backward<api::EncoderStack>(work, *this, dy);
}

DecoderLayer::DecoderLayer(const Options& architecture) : Layer(api::make<api::OneDecoderLayer>(architecture)) {}
Tensor DecoderLayer::forward(Workspace& work, const DecoderInputs& in) const {
  return api::decode<api::OneDecoderLayer>(work, *this, in);
}
DecoderGradients DecoderLayer::backward(Workspace& work, const Tensor& dy) {
  return api::decode_backward<api::OneDecoderLayer>(work, *this, dy);
}

Decoder::Decoder(const Options& architecture) : Layer(api::make<api::DecoderStack>(architecture)) {}
Tensor Decoder::forward(Workspace& work, const DecoderInputs& in) const {
  return api::decode<api::DecoderStack>(work, *this, in);
}
DecoderGradients Decoder::backward(Workspace& work, const Tensor& dy) {
  return api::decode_backward<api::DecoderStack>(work, *this, dy);
}

}  // namespace nn
}  // namespace hexapla
