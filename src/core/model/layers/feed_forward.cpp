#include "model/layers/feed_forward.h"

namespace hexapla::model {

Tensor FeedForward::forward(Context& cx, Tensor x, Offsets rows, FeedForwardSaved& s) const {
  Tensor h = inner.forward(cx, x);
  observe(cx, "inner", h, rows);
  // max(0, .) knows its derivative from its output, so it may overwrite its input; the others may not.
  s = {x, h, activation == Activation::relu ? h : cx.keep(h.shape), {}, {}};
  activate_dropped(cx, activation, s.inner, dropout.mask(cx), s.hidden);
  observe(cx, "hidden", s.hidden, rows);
  return outer.forward(cx, s.hidden);
}

void FeedForward::backward(Context& cx, const FeedForwardSaved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  Tensor d_hidden = outer.backward(cx, s.hidden, dy);
  observe_gradient(cx, "hidden", d_hidden);
  activate_dropped_backward(cx, activation, s.inner, d_hidden, dropout.mask(cx), d_hidden);
  observe_gradient(cx, "inner", d_hidden);
  inner.backward(cx, s.x, d_hidden, d, Write::add);
}

Tensor GatedFeedForward::forward(Context& cx, Tensor x, Offsets rows, FeedForwardSaved& s) const {
  Tensor z = inner.forward(cx, x);
  observe(cx, "inner", z, rows);
  s = {x, z, cx.keep(z.shape), cx.keep(z.shape), linear.forward(cx, x)};
  activate(cx, activation, z, s.activated);
  multiply(cx, s.activated, s.linear, s.hidden);
  observe(cx, "linear", s.linear, rows);
  observe(cx, "hidden", s.hidden, rows);
  dropout.forward(cx, s.hidden);
  return outer.forward(cx, s.hidden);
}

void GatedFeedForward::backward(Context& cx, const FeedForwardSaved& s, Tensor dy, Tensor d) const {
  Arena::Frame frame(cx.arena);
  Tensor d_hidden = dropout.backward(cx, outer.backward(cx, s.hidden, dy));
  observe_gradient(cx, "hidden", d_hidden);
  Tensor d_linear = cx.scratch(s.linear.shape);
  multiply(cx, d_hidden, s.activated, d_linear);
  multiply(cx, d_hidden, s.linear, d_hidden);
  activate_backward(cx, activation, s.inner, d_hidden, d_hidden);
  observe_gradient(cx, "linear", d_linear);
  observe_gradient(cx, "inner", d_hidden);
  inner.backward(cx, s.x, d_hidden, d, Write::add);
  linear.backward(cx, s.x, d_linear, d, Write::add);
}

Tensor forward(const AnyFeedForward& ffn, Context& cx, Tensor x, Offsets rows, AnyFeedForwardSaved& s) {
  return std::visit(
      [&](const auto& m) { return m.forward(cx, x, rows, s.emplace<typename std::decay_t<decltype(m)>::Saved>()); },
      ffn);
}

void backward(const AnyFeedForward& ffn, Context& cx, const AnyFeedForwardSaved& s, Tensor dy, Tensor d) {
  std::visit([&](const auto& m) { m.backward(cx, std::get<typename std::decay_t<decltype(m)>::Saved>(s), dy, d); },
             ffn);
}

double balance(AnyFeedForwardSaved& s, double scale) {
  auto* experts = std::get_if<MixtureOfExperts::Saved>(&s);
  if (!experts) return 0;
  experts->scale = scale;
  return experts->balancing;
}

}  // namespace hexapla::model
