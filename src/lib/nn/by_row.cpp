// Layers that process each row independently.
#include "lib/nn/architecture.h"
#include "lib/nn/calls.h"
#include "model/encoder.h"

namespace hexapla {
namespace api {
namespace {

constexpr Range<int64_t> kWidth{1, int64_t{1} << 22};

struct DroppedRows {
  model::Dropout dropout;
  void visit(auto&& f) { f("dropout", dropout); }
};

std::shared_ptr<LayerState> make_linear(int64_t in, int64_t out, bool bias) {
  return guarded([&] {
    kWidth.check("in", in);
    kWidth.check("out", out);
    return own(model::Linear(in, out, bias));
  });
}

std::shared_ptr<LayerState> make_layer_norm(int64_t width, double epsilon) {
  return guarded([&] {
    kWidth.check("width", width);
    ranges::kAbove0.check("epsilon", epsilon);
    return own(model::LayerNorm(width, epsilon));
  });
}

std::shared_ptr<LayerState> make_dropout(double p) {
  return guarded([&] {
    ranges::kBelow1.check("p", p);
    return own(DroppedRows{{p}});
  });
}

// The paper's network or its gated variant, and their common width.
struct RowNetwork {
  model::AnyFeedForward network;
  int64_t width;
  void visit(auto&& f) {
    std::visit([&](auto& chosen) { chosen.visit(f); }, network);
  }
};

std::shared_ptr<LayerState> make_feed_forward(const Options& options) {
  return guarded([&] {
    const model::Config c = architecture(options);
    return own(RowNetwork{model::make_feed_forward(c), c.d_model});
  });
}

}  // namespace
}  // namespace api

namespace nn {

Linear::Linear(std::int64_t in, std::int64_t out, bool bias) : Layer(api::make_linear(in, out, bias)) {}

Tensor Linear::forward(Workspace& work, const Tensor& x) const {
  return api::forward<hexapla::Tensor>(work, *this, [&](api::Pass& pass, Context& cx, hexapla::Tensor& saved) {
    const auto& linear = api::module_of<model::Linear>(*this);
    saved = pass.take("x", x, linear.weight.shape[0]);
    return linear.forward(cx, saved);
  });
}

Tensor Linear::backward(Workspace& work, const Tensor& dy) {
  return api::backward<hexapla::Tensor>(
      work, *this, dy, [&](api::Pass& pass, Context& cx, const hexapla::Tensor& saved, hexapla::Tensor d) {
        const hexapla::Tensor dx = cx.keep(saved.shape);
        api::module_of<model::Linear>(*this).backward(cx, saved, d, dx, Write::set);
        return pass.give(dx);
      });
}

LayerNorm::LayerNorm(std::int64_t width, double epsilon) : Layer(api::make_layer_norm(width, epsilon)) {}

Tensor LayerNorm::forward(Workspace& work, const Tensor& x) const {
  return api::forward<Normalized>(work, *this, [&](api::Pass& pass, Context& cx, Normalized& saved) {
    const auto& norm = api::module_of<model::LayerNorm>(*this);
    return norm.forward(cx, {pass.take("x", x, norm.gain.shape[0])}, saved);
  });
}

Tensor LayerNorm::backward(Workspace& work, const Tensor& dy) {
  return api::backward<Normalized>(work, *this, dy,
                                   [&](api::Pass& pass, Context& cx, const Normalized& saved, hexapla::Tensor d) {
                                     const hexapla::Tensor dx = api::kept_copy(cx, d);
                                     api::module_of<model::LayerNorm>(*this).backward(cx, saved, {}, dx);
                                     return pass.give(dx);
                                   });
}

Dropout::Dropout(double p) : Layer(api::make_dropout(p)) {}

Tensor Dropout::forward(Workspace& work, const Tensor& x) const {
  return api::forward<hexapla::Tensor>(work, *this, [&](api::Pass& pass, Context& cx, hexapla::Tensor&) {
    const hexapla::Tensor y = api::kept_copy(cx, pass.take("x", x));
    return api::module_of<api::DroppedRows>(*this).dropout.forward(cx, y);
  });
}

Tensor Dropout::backward(Workspace& work, const Tensor& dy) {
  return api::backward<hexapla::Tensor>(
      work, *this, dy, [&](api::Pass& pass, Context& cx, const hexapla::Tensor&, hexapla::Tensor d) {
        return pass.give(api::kept_copy(cx, api::module_of<api::DroppedRows>(*this).dropout.backward(cx, d)));
      });
}

FeedForward::FeedForward(const Options& architecture) : Layer(api::make_feed_forward(architecture)) {}

Tensor FeedForward::forward(Workspace& work, const Tensor& x) const {
  return api::forward<model::AnyFeedForwardSaved>(
      work, *this, [&](api::Pass& pass, Context& cx, model::AnyFeedForwardSaved& saved) {
        const auto& [network, width] = api::module_of<api::RowNetwork>(*this);
        return model::forward(network, cx, pass.take("x", x, width), {}, saved);
      });
}

Tensor FeedForward::backward(Workspace& work, const Tensor& dy) {
  return api::backward<model::AnyFeedForwardSaved>(
      work, *this, dy, [&](api::Pass& pass, Context& cx, const model::AnyFeedForwardSaved& saved, hexapla::Tensor d) {
        const auto& [network, width] = api::module_of<api::RowNetwork>(*this);
        const hexapla::Tensor dx = api::kept_zeros(cx, {d.shape[0], width});
        model::backward(network, cx, saved, d, dx);
        return pass.give(dx);
      });
}

}  // namespace nn
}  // namespace hexapla
