// Attention, sections 3.2.1 and 3.2.2: checks, and the weights of every head for inspection.
#include <cmath>
#include <limits>

#include "backend/on_host.h"
#include "base/scope.h"
#include "ops/ops.h"

namespace hexapla {
namespace {

void check(const AttentionInput& in) {
  auto [nq, h, d] = in.q.dims<3>("attention: q");
  auto [nk, hk, dk] = in.k.dims<3>("attention: k");
  auto [nv, hv, dv] = in.v.dims<3>("attention: v");
  HEXAPLA_CHECK(h == hk && d == dk, "attention: q ", in.q.shape, " and k ", in.k.shape,
                " must agree in heads and head size d_k");
  HEXAPLA_CHECK(nk == nv && h == hv, "attention: k ", in.k.shape, " and v ", in.v.shape,
                " must agree in rows and heads");
  HEXAPLA_CHECK(in.queries.size() == in.keys.size(), "attention: ", in.queries.size() - 1,
                " sequences of queries, but ", in.keys.size() - 1, " of keys");
  HEXAPLA_CHECK(in.queries.back() == nq && in.keys.back() == nk, "attention: the sequences cover ", in.queries.back(),
                " and ", in.keys.back(), " rows of q ", in.q.shape, " and k ", in.k.shape);
  if (!in.mask) return;
  int64_t longest = 0;
  for (size_t b = 0; b + 1 < in.keys.size(); ++b) longest = std::max<int64_t>(longest, in.keys[b + 1] - in.keys[b]);
  HEXAPLA_CHECK(
      in.mask.shape == (Shape{nq, longest}), "attention: the mask ", in.mask.shape,
      " must have a row for each query and a column for each key of the longest sequence: ", Shape{nq, longest});
}

void check_backward(const AttentionInput& in, const Attention& a, Tensor d_out, const AttentionGradient& d) {
  HEXAPLA_CHECK(d_out.shape == a.out.shape, "attention_backward: d_out ", d_out.shape, " must have the shape of out ",
                a.out.shape);
  HEXAPLA_CHECK(d.q.shape == in.q.shape && d.k.shape == in.k.shape && d.v.shape == in.v.shape,
                "attention_backward: gradients ", d.q.shape, ", ", d.k.shape, ", ", d.v.shape, " do not fit q ",
                in.q.shape, ", k ", in.k.shape, ", v ", in.v.shape);
}

Attention results(Context& cx, const AttentionInput& in) {
  check(in);
  const int64_t n = in.q.shape[0], h = in.q.shape[1];
  return {cx.keep({n, h * in.v.shape[2]}), cx.keep({n, h})};
}

double element(Tensor t, int64_t row, int64_t h, int64_t i) {
  const int64_t at = row * t.strides[0] + h * t.strides[1] + i;
  return t.dtype == DType::f64 ? t.data<double>()[at] : t.data<float>()[at];
}

double score(const AttentionInput& in, int64_t t, int64_t u, int64_t h) {
  double s = 0;
  for (int64_t i = 0; i < in.q.shape[2]; ++i) {
    const double q = element(in.q, t, h, i), k = element(in.k, u, h, i);
    if (!in.additive)
      s += q * k * in.scale;
    else
      s += std::tanh(q + k) * element(in.additive, h, 0, i);
  }
  return s;
}

void observe_weights(Context& cx, const AttentionInput& in) {
  if (!cx.observer) return;
  for (size_t b = 0; b + 1 < in.queries.size(); ++b) {
    Arena::Frame frame(cx.arena);
    const AttentionWeights w = attention_weights(cx, in, b);
    cx.observer->observe_attention(Scope::path(), static_cast<int64_t>(b), w.scores, w.weights);
  }
}

Tensor step_output(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows) {
  auto [n, h, d] = q.dims<3>("attention_step: q");
  HEXAPLA_CHECK(k.shape[1] == h && k.shape[2] == d && v.shape[0] == k.shape[0], "attention_step: q ", q.shape,
                " does not fit the cache k ", k.shape, ", v ", v.shape);
  HEXAPLA_CHECK(rows.index.shape[0] == n && rows.lengths.shape == Shape{n}, "attention_step: index ", rows.index.shape,
                " and lengths ", rows.lengths.shape, " must have a row for each query of ", q.shape);
  return cx.keep({n, h * v.shape[2]});
}

void check(const AlignmentInput& in) {
  auto [nq, d] = in.q.dims<2>("alignment loss: q");
  auto [nk, dk] = in.k.dims<2>("alignment loss: k");
  HEXAPLA_CHECK(d == dk, "alignment loss: q ", in.q.shape, " and k ", in.k.shape, " must agree in d_k");
  HEXAPLA_CHECK(in.queries.size() == in.keys.size() && in.queries.back() == nq && in.keys.back() == nk,
                "alignment loss: the sequences cover ", in.queries.back(), " and ", in.keys.back(), " rows of q ",
                in.q.shape, " and k ", in.k.shape);
  HEXAPLA_CHECK(std::ssize(in.links) == nq + 1 && in.links.back() == std::ssize(in.linked),
                "alignment loss: the links of ", in.links.size() - 1, " queries cover ", in.links.back(), " of ",
                in.linked.size(), ", but q is ", in.q.shape);
  for (size_t b = 0; b + 1 < in.queries.size(); ++b)
    for (int32_t i = in.links[in.queries[b]]; i < in.links[in.queries[b + 1]]; ++i)
      HEXAPLA_CHECK(in.linked[i] >= 0 && in.linked[i] < in.keys[b + 1] - in.keys[b], "alignment loss: a link to key ",
                    in.linked[i], " of sequence ", b, ", which has ", in.keys[b + 1] - in.keys[b]);
}

}  // namespace

AttentionWeights room_for_weights(Context& cx, const Shape& s) {
  if (cx.backend.host_memory()) return {cx.scratch(s, DType::f64), cx.scratch(s, DType::f64)};
  const auto memory = std::make_shared<std::vector<double>>(static_cast<size_t>(2 * s.size()));
  return {Tensor::of(memory->data(), s), Tensor::of(memory->data() + s.size(), s), memory};
}

AttentionWeights attention_weights(Context& cx, const AttentionInput& there, size_t b) {
  const OnHost q(cx.backend, there.q), k(cx.backend, there.k), mask(cx.backend, there.mask),
      additive(cx.backend, there.additive);
  AttentionInput in = there;
  in.q = q, in.k = k, in.mask = mask, in.additive = additive;
  const int64_t heads = in.q.shape[1], n = in.queries[b + 1] - in.queries[b], m = in.keys[b + 1] - in.keys[b];
  AttentionWeights all = room_for_weights(cx, {heads, n, m});
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < n; ++t) {
      double* s = all.scores.data<double>() + (h * n + t) * m;
      double* w = all.weights.data<double>() + (h * n + t) * m;
      double top = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t u = 0; u < m; ++u) {
        s[u] = score(in, in.queries[b] + t, in.keys[b] + u, h);
        if (in.mask) s[u] += element(in.mask, in.queries[b] + t, 0, u);
        if (in.causal && u > t) s[u] = -std::numeric_limits<double>::infinity();
        top = std::max(top, s[u]);
      }
      for (int64_t u = 0; u < m; ++u) sum += w[u] = std::isinf(s[u]) ? 0 : std::exp(s[u] - top);
      for (int64_t u = 0; u < m && sum > 0; ++u) w[u] /= sum;
    }
  return all;
}

Attention attention(Context& cx, const AttentionInput& in) {
  Attention a = results(cx, in);
  cx.backend.attention(in, a.out, a.lse);
  observe_weights(cx, in);
  return a;
}

void attention_backward(Context& cx, const AttentionInput& in, const Attention& a, Tensor d_out,
                        const AttentionGradient& d) {
  check_backward(in, a, d_out, d);
  cx.backend.attention_backward(in, a.out, a.lse, d_out, d.q, d.k, d.v);
}

Attention additive_attention(Context& cx, const AttentionInput& in) {
  HEXAPLA_CHECK(in.additive.shape == (Shape{in.q.shape[1], in.q.shape[2]}), "additive attention: w ", in.additive.shape,
                " must be [heads, d_k] of q ", in.q.shape);
  Attention a = results(cx, in);
  cx.backend.additive_attention(in, a.out, a.lse);
  observe_weights(cx, in);
  return a;
}

void additive_attention_backward(Context& cx, const AttentionInput& in, const Attention& a, Tensor d_out,
                                 const AttentionGradient& d, Tensor dw) {
  check_backward(in, a, d_out, d);
  cx.backend.additive_attention_backward(in, a.out, a.lse, d_out, d.q, d.k, d.v, dw);
}

Tensor attention_step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows, double scale) {
  Tensor out = step_output(cx, q, k, v, rows);
  cx.backend.attention_step(q, k, v, rows.index, rows.lengths, scale, out);
  return out;
}

Tensor additive_attention_step(Context& cx, Tensor q, Tensor k, Tensor v, Tensor w, const StepRows& rows) {
  Tensor out = step_output(cx, q, k, v, rows);
  cx.backend.additive_attention_step(q, k, v, w, rows.index, rows.lengths, out);
  return out;
}

Tensor alignment_loss(Context& cx, const AlignmentInput& in) {
  check(in);
  Tensor loss = cx.keep({in.q.shape[0]});
  cx.backend.alignment_loss(in, loss);
  return loss;
}

void alignment_loss_backward(Context& cx, const AlignmentInput& in, double scale, Tensor dq, Tensor dk) {
  check(in);
  HEXAPLA_CHECK(dq.shape == in.q.shape && dk.shape == in.k.shape, "alignment loss: gradients ", dq.shape, " and ",
                dk.shape, " do not fit q ", in.q.shape, " and k ", in.k.shape);
  cx.backend.alignment_loss_backward(in, scale, dq, dk);
}

}  // namespace hexapla
