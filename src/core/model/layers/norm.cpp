#include "model/layers/norm.h"

#include <cmath>

namespace hexapla::model {
namespace {

// A bad batch would corrupt the running statistics permanently.
bool finite(Context& cx, const Statistics& s) {
  return std::isfinite(sum_of_squares(cx, s.mean) + sum_of_squares(cx, s.variance));
}

Tensor filled(Context& cx, Shape shape, double value) {
  const Tensor x = cx.scratch(shape);
  fill(cx, x, value);
  return x;
}

// x + r normalized by the running statistics alone, for the gradient of the gain -> kept
Tensor normed_by(Context& cx, Tensor x, Tensor r, double eps, const Statistics& running) {
  const Shape d = running.mean.shape;
  const Tensor y = cx.keep(x.shape);
  Arena::Frame frame(cx.arena);
  const Tensor ones = filled(cx, d, 1), zeros = filled(cx, d, 0);
  cx.backend.batch_norm_inference(x, r, ones, zeros, eps, running.mean, running.variance, y);
  return y;
}

// Outside of training the statistics do not depend on the batch: d goes through a diagonal matrix;
// gain and bias get their usual gradients.
Tensor running_backward(const BatchNorm& norm, Context& cx, const Normalized& s, Tensor d) {
  Arena::Frame frame(cx.arena);
  const Tensor used_up = cx.scratch(d.shape);
  copy(cx, d, used_up);
  batch_norm_backward(cx, {{}, s.normed, filled(cx, norm.mean.value.shape, 1)}, norm.gain.value, used_up,
                      norm.gain.grad, norm.bias.grad);
  batch_norm_inference_backward(cx, norm.gain.value, norm.eps, norm.variance.value, d);
  return d;
}

// Shows x + dropout(r), which no op of a norm materializes.
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

Tensor BatchNorm::forward(Context& cx, const Residual& in, Normalized& s) const {
  const Tensor x = in.x, r = in.r ? in.dropout.forward(cx, in.r) : in.r;
  if (!cx.training || mean.frozen) {
    s.y = batch_norm_inference(cx, x, r, {gain.value, bias.value, eps}, {mean.value, variance.value});
    if (!mean.frozen && !cx.forward_only) s.normed = normed_by(cx, x, r, eps, {mean.value, variance.value});
    return s.y;
  }
  BatchNormalized b = batch_norm(cx, x, r, {gain.value, bias.value, eps});
  const double n = static_cast<double>(x.shape[0]), unbiased = n > 1 ? n / (n - 1) : 1;
  if (finite(cx, b.batch)) {
    combine(cx, momentum, b.batch.mean, 1 - momentum, mean.value);
    combine(cx, momentum * unbiased, b.batch.variance, 1 - momentum, variance.value);
  }
  s = b.out;
  return s.y;
}

// With given statistics the norm is affine, and d goes through a diagonal matrix. Gain and bias are
// frozen, too.
void BatchNorm::frozen_backward(Context& cx, Tensor d) const {
  batch_norm_inference_backward(cx, gain.value, eps, variance.value, d);
}

Tensor forward(const Norm& norm, Context& cx, const Residual& in, Offsets rows, Normalized& s) {
  show_sum(cx, in, rows);
  Tensor y = std::visit([&](const auto& n) { return n.forward(cx, in, s); }, norm);
  observe(cx, "norm", y, rows);
  return y;
}

Tensor backward(const Norm& norm, Context& cx, const Normalized& s, const Dropout& dropout, Tensor d) {
  observe_gradient(cx, "norm", d);
  const auto* batch = std::get_if<BatchNorm>(&norm);
  if (batch && !cx.training && !batch->mean.frozen) return running_backward(*batch, cx, s, d);
  return std::visit([&](const auto& n) { return n.backward(cx, s, dropout, d); }, norm);
}

}  // namespace hexapla::model
