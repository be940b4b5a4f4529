#include "model/layers/attention.h"

namespace hexapla::model {
namespace {
// Views [N, H, d] as the original matrix [N, H * d].
Tensor as_matrix(Tensor t) {
  Tensor m = t;
  m.shape = Shape{t.shape[0], t.shape[1] * t.shape[2]};
  m.strides = {t.strides[0], 1, 0, 0};
  return m;
}
}  // namespace

Score make_score(const std::string& name, int64_t heads, int64_t d_k) {
  const double scale = 1 / std::sqrt(double(d_k));
  if (name == "dot") return DotScore{1};
  if (name == "additive") return AdditiveScore(heads, d_k);
  if (name == "sigmoid") return WeighedScore<weighing::Sigmoid>{scale};
  if (name == "relu") return WeighedScore<weighing::Relu>{scale};
  if (name == "unnormalized") return WeighedScore<weighing::Unnormalized>{scale};
  if (name == "top-4") return WeighedScore<weighing::TopFour>{scale};
  if (name == "linear-kernel") return WeighedScore<weighing::LinearKernel>{scale};
  HEXAPLA_CHECK(name == "scaled-dot", "there is no attention score '", name, "'");
  return DotScore{scale};
}

void show_qkv(Context& cx, const AttentionInput& in) {
  if (!cx.observer) return;
  observe(cx, "q", as_matrix(in.q), in.queries);
  observe(cx, "k", as_matrix(in.k), in.keys);
  observe(cx, "v", as_matrix(in.v), in.keys);
}

void show_qkv_gradient(Context& cx, const AttentionGradient& d) {
  if (!cx.observer) return;
  observe_gradient(cx, "q", as_matrix(d.q));
  observe_gradient(cx, "k", as_matrix(d.k));
  observe_gradient(cx, "v", as_matrix(d.v));
}

Tensor MultiHeadAttention::forward(Context& cx, const Inputs& in, Saved& s) const {
  s.in = in;
  s.qkv = {.q = query.forward(cx, in.query).heads(heads.count),
           .k = key.forward(cx, in.key).heads(heads.count),
           .v = value.forward(cx, in.value).heads(heads.count),
           .queries = in.queries,
           .keys = in.keys,
           .causal = in.causal,
           .mask = in.mask};
  show_qkv(cx, s.qkv);
  s.attention = heads.forward(cx, s.qkv);
  observe(cx, "heads", s.attention.out, in.queries);
  return output.forward(cx, s.attention.out);
}

void MultiHeadAttention::backward(Context& cx, const Saved& s, Tensor dy, Tensor d_query, Tensor d_key,
                                  Tensor d_value) const {
  Arena::Frame frame(cx.arena);
  Tensor d_heads = output.backward(cx, s.attention.out, dy);
  observe_gradient(cx, "heads", d_heads);
  const int64_t nq = s.in.query.shape[0], nk = s.in.key.shape[0];
  Tensor dq = cx.scratch({nq, heads.keys()}), dk = cx.scratch({nk, heads.keys()}),
         dv = cx.scratch({nk, heads.values()});
  const AttentionGradient d{dq.heads(heads.count), dk.heads(heads.count), dv.heads(heads.count)};
  heads.backward(cx, s.qkv, s.attention, d_heads, d);
  show_qkv_gradient(cx, d);
  query.backward(cx, s.in.query, dq, d_query, Write::add);
  key.backward(cx, s.in.key, dk, d_key, Write::add);
  value.backward(cx, s.in.value, dv, d_value, Write::add);
}

AlignmentInput CrossAttention::guided(const Saved& s, const Guide& g) const {
  const auto* dot = std::get_if<DotScore>(&heads.score);
  HEXAPLA_CHECK(dot, "guided alignment needs a dot product score");
  HEXAPLA_CHECK(g.head >= 0 && g.head < heads.count, "guided alignment: there is no head ", g.head, " of ",
                heads.count);
  return {s.q.columns(g.head * heads.d_k, heads.d_k),
          s.kv.columns(g.head * heads.d_k, heads.d_k),
          s.rows,
          s.memory_rows,
          dot->scale,
          g.links,
          g.linked};
}

void CrossAttention::guide_backward(Context& cx, const Saved& s, Tensor dq, Tensor dkv) const {
  const int64_t first = s.guide->head * heads.d_k;
  alignment_loss_backward(cx, guided(s, *s.guide), s.guide->scale, dq.columns(first, heads.d_k),
                          dkv.columns(first, heads.d_k));
}

}  // namespace hexapla::model
