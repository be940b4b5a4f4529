#include "model/norm.h"

namespace hexapla::model {

Tensor BatchNorm::forward(Context& cx, const Residual& in, Normalized& s) const {
  const Tensor x = in.x, r = in.r ? in.dropout.forward(cx, in.r) : in.r;
  if (!cx.training || mean.frozen) {
    s.y = batch_norm_inference(cx, x, r, {gain.value, bias.value, eps}, {mean.value, variance.value});
    return s.y;
  }
  BatchNormalized b = batch_norm(cx, x, r, {gain.value, bias.value, eps});
  const double n = static_cast<double>(x.shape[0]), unbiased = n > 1 ? n / (n - 1) : 1;
  combine(cx, momentum, b.batch.mean, 1 - momentum, mean.value);
  combine(cx, momentum * unbiased, b.batch.variance, 1 - momentum, variance.value);
  s = b.out;
  return s.y;
}

// With given statistics the norm is affine, and d goes through its matrix, a diagonal. Gain and bias are frozen, too.
void BatchNorm::frozen_backward(Context& cx, Tensor d) const {
  batch_norm_inference_backward(cx, gain.value, eps, variance.value, d);
}

namespace {
// x + dropout(r), which the op of a norm never holds.
void show_sum(Context& cx, const Residual& in, Offsets rows) {
  if (!cx.observer || !in.r) return;
  Arena::Frame frame(cx.arena);
  Tensor sum = cx.scratch(in.x.shape);
  copy(cx, in.r, sum);
  in.dropout.forward(cx, sum);
  add_to(cx, sum, in.x);
  observe(cx, "sum", sum, rows);
}
}  // namespace

Tensor forward(const Norm& norm, Context& cx, const Residual& in, Offsets rows, Normalized& s) {
  show_sum(cx, in, rows);
  Tensor y = std::visit([&](const auto& n) { return n.forward(cx, in, s); }, norm);
  observe(cx, "norm", y, rows);
  return y;
}

Tensor backward(const Norm& norm, Context& cx, const Normalized& s, const Dropout& dropout, Tensor d) {
  observe_gradient(cx, "norm", d);
  return std::visit([&](const auto& n) { return n.backward(cx, s, dropout, d); }, norm);
}

}  // namespace hexapla::model
