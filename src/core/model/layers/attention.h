#pragma once
// Section 3.2: heads with a score function, and the three uses of multi-head attention.
#include <cmath>

#include "model/layers/linear.h"
#include "ops/weighted_attention.h"

namespace hexapla::model {

// score(q, k) = scale * q k^T. The paper's scale is 1 / sqrt(d_k); scale 1 gives the plain dot
// score.
struct DotScore {
  double scale;
  void visit(auto&&) {}
  Attention forward(Context& cx, AttentionInput in) const {
    in.scale = scale;
    return attention(cx, in);
  }
  void backward(Context& cx, AttentionInput in, const Attention& a, Tensor d_out, const AttentionGradient& d) const {
    in.scale = scale;
    attention_backward(cx, in, a, d_out, d);
  }
  AttentionWeights weights(Context& cx, AttentionInput in, size_t b) const {
    in.scale = scale;
    return attention_weights(cx, in, b);
  }
  Tensor step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows) const {
    return attention_step(cx, q, k, v, rows, scale);
  }
};

// score(q, k) = w^T tanh(W q + U k) (Bahdanau et al. 2015; the alternative in section 3.2.1). W and
// U are the query and key projections of multi-head attention, so only w, one vector per head, is
// new.
struct AdditiveScore {
  Parameter weight;  // [H, d_k]
  AdditiveScore(int64_t heads, int64_t d_k) : weight{{heads, d_k}, Init::xavier(d_k, 1), {}, {}} {}
  void visit(auto&& f) { f("weight", weight); }
  Attention forward(Context& cx, AttentionInput in) const {
    in.additive = weight.value;
    return additive_attention(cx, in);
  }
  void backward(Context& cx, AttentionInput in, const Attention& a, Tensor d_out, const AttentionGradient& d) const {
    in.additive = weight.value;
    additive_attention_backward(cx, in, a, d_out, d, weight.grad);
  }
  AttentionWeights weights(Context& cx, AttentionInput in, size_t b) const {
    in.additive = weight.value;
    return attention_weights(cx, in, b);
  }
  Tensor step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows) const {
    return additive_attention_step(cx, q, k, v, weight.value, rows);
  }
};

// Scaled products with other weights than a softmax (ops/weighing.h): for experiments.
template <class W>
struct WeighedScore {
  double scale;
  void visit(auto&&) {}
  Attention forward(Context& cx, AttentionInput in) const {
    in.scale = scale;
    return WeightedAttention<W>::forward(cx, in);
  }
  void backward(Context&, AttentionInput in, const Attention&, Tensor d_out, const AttentionGradient& d) const {
    in.scale = scale;
    WeightedAttention<W>::backward(in, d_out, d);
  }
  AttentionWeights weights(Context& cx, AttentionInput in, size_t b) const {
    in.scale = scale;
    return WeightedAttention<W>::weights(cx, in, b);
  }
  Tensor step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows) const {
    return WeightedAttention<W>::step(cx, q, k, v, rows, scale);
  }
};

using Score = std::variant<DotScore, AdditiveScore, WeighedScore<weighing::Sigmoid>, WeighedScore<weighing::Relu>,
                           WeighedScore<weighing::Unnormalized>, WeighedScore<weighing::TopFour>,
                           WeighedScore<weighing::LinearKernel>>;
// The score function for queries and keys of width d_k. InternalError: unknown name.
Score make_score(const std::string& name, int64_t heads, int64_t d_k);

// Shared by all uses of attention: number and widths of heads, score function, dropout on the
// weights.
struct Heads {
  int64_t count, d_k, d_v;
  Score score;
  Dropout dropout;
  bool bias = false;  // of the projections around the heads

  static Heads scaled_dot(int64_t count, int64_t d_k, int64_t d_v) {
    return {count, d_k, d_v, DotScore{1 / std::sqrt(double(d_k))}, {}};
  }
  void visit(auto&& f) {
    f("score", score);
    f("weights_dropout", dropout);
  }
  int64_t keys() const { return count * d_k; }
  int64_t values() const { return count * d_v; }

  Attention forward(Context& cx, AttentionInput in) const {
    in.dropout = dropout.mask(cx);
    return std::visit([&](const auto& s) { return s.forward(cx, in); }, score);
  }
  void backward(Context& cx, AttentionInput in, const Attention& a, Tensor d_out, const AttentionGradient& d) const {
    in.dropout = dropout.mask(cx);
    std::visit([&](const auto& s) { s.backward(cx, in, a, d_out, d); }, score);
  }
  AttentionWeights weights(Context& cx, const AttentionInput& in, size_t b) const {
    return std::visit([&](const auto& s) { return s.weights(cx, in, b); }, score);
  }
  Tensor step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows) const {
    return std::visit([&](const auto& s) { return s.step(cx, q, k, v, rows); }, score);
  }
};

// Shows q, k and v (as [N, H * d]) to the observer; the outputs of the heads are shown as "heads".
void show_qkv(Context& cx, const AttentionInput& in);
void show_qkv_gradient(Context& cx, const AttentionGradient& d);

// MultiHead(Q, K, V) = Concat(head_1 .. head_h) W^O, section 3.2.2, in its general form: inputs and
// output of any width, an optional additive mask.
struct MultiHeadAttention {
  Heads heads;
  Linear query, key, value, output;

  struct Widths {
    int64_t query, key, value, output;
  };
  MultiHeadAttention(const Heads& h, Widths w)
      : heads(h),
        query(w.query, h.keys(), h.bias),
        key(w.key, h.keys(), h.bias),
        value(w.value, h.values(), h.bias),
        output(h.values(), w.output, h.bias) {}
  void visit(auto&& f) {
    f("query", query);
    f("key", key);
    f("value", value);
    f("heads", heads);
    f("output", output);
  }

  struct Inputs {
    Tensor query, key, value;  // [Nq, d], [Nk, d'], [Nk, d'']
    Offsets queries, keys;
    bool causal = false;
    Tensor mask;  // as in AttentionInput
  };
  struct Saved {
    Inputs in;
    AttentionInput qkv;
    Attention attention;
  };
  Tensor forward(Context& cx, const Inputs& in, Saved& s) const;
  // Adds to the gradients of the three inputs (which may be the same tensor).
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d_query, Tensor d_key, Tensor d_value) const;
};

// MultiHead(x, x, x). W^Q, W^K and W^V are concatenated: one product instead of three. Causal in
// the decoder.
struct SelfAttention {
  static constexpr const char* kName = "self_attention";
  Heads heads;
  bool causal;
  Linear qkv, output;

  SelfAttention(const Heads& h, int64_t d_model, bool is_causal)
      : heads(h),
        causal(is_causal),
        qkv(d_model, 2 * h.keys() + h.values(), h.bias, Init::xavier(d_model, h.keys())),
        output(h.values(), d_model, h.bias) {}
  void visit(auto&& f) {
    f("qkv", qkv);
    f("heads", heads);
    f("output", output);
  }

  struct Saved {
    Tensor x, qkv;
    Attention attention;
    Offsets rows;
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Saved& s) const {
    s = {x, qkv.forward(cx, x), {}, rows};
    const AttentionInput in = input(s.qkv, rows);
    show_qkv(cx, in);
    s.attention = heads.forward(cx, in);
    observe(cx, "heads", s.attention.out, rows);
    return output.forward(cx, s.attention.out);
  }
  // d += J^T dy
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d) const {
    Arena::Frame frame(cx.arena);
    Tensor d_heads = output.backward(cx, s.attention.out, dy);
    observe_gradient(cx, "heads", d_heads);
    Tensor d_qkv = cx.scratch(s.qkv.shape);
    const AttentionInput g = input(d_qkv, s.rows);
    heads.backward(cx, input(s.qkv, s.rows), s.attention, d_heads, {g.q, g.k, g.v});
    show_qkv_gradient(cx, {g.q, g.k, g.v});
    qkv.backward(cx, s.x, d_qkv, d, Write::add);
  }
  // One new row per hypothesis. Writes its k and v to row cache_rows[n] ([N] i32) of the cache [R,
  // H d_k + H d_v]; the row attends to the cache rows listed in `rows`.
  Tensor step(Context& cx, Tensor x, Tensor cache, Tensor cache_rows, const StepRows& rows) const {
    const Tensor now = qkv.forward(cx, x);
    put_rows(cx, now.columns(heads.keys(), cache_width()), cache_rows, cache);
    return output.forward(cx, heads.step(cx, input(now, {}).q, cache.columns(0, heads.keys()).heads(heads.count),
                                         cache.columns(heads.keys(), heads.values()).heads(heads.count), rows));
  }
  int64_t cache_width() const { return heads.keys() + heads.values(); }

 private:
  // The three parts of [N, 2 H d_k + H d_v], viewed as heads.
  AttentionInput input(Tensor p, Offsets rows) const {
    return {.q = p.columns(0, heads.keys()).heads(heads.count),
            .k = p.columns(heads.keys(), heads.keys()).heads(heads.count),
            .v = p.columns(2 * heads.keys(), heads.values()).heads(heads.count),
            .queries = rows,
            .keys = rows,
            .causal = causal};
  }
};

// Guided alignment: trains one head of one decoder layer to follow given links (Garg et al. 2019).
// Queries without links do not contribute.
struct Guide {
  int64_t layer = 0, head = 0;
  double scale = 0;                 // of the gradients: the weight of this loss times that of the whole loss
  Offsets links;                    // as in AlignmentInput
  std::span<const int32_t> linked;  // positions in the source sentence
  explicit operator bool() const { return !links.empty(); }
};

// MultiHead(x, memory, memory), section 3.2.3: the decoder attends to the encoder.
struct CrossAttention {
  Heads heads;
  Linear query, key_value, output;

  CrossAttention(const Heads& h, int64_t d_model)
      : heads(h),
        query(d_model, h.keys(), h.bias),
        key_value(d_model, h.keys() + h.values(), h.bias, Init::xavier(d_model, h.keys())),
        output(h.values(), d_model, h.bias) {}
  void visit(auto&& f) {
    f("query", query);
    f("key_value", key_value);
    f("heads", heads);
    f("output", output);
  }

  struct Saved {
    Tensor x, memory, q, kv;
    Attention attention;
    Offsets rows, memory_rows;
    const Guide* guide = nullptr;  // set between forward and backward of a guided layer
  };
  Tensor forward(Context& cx, Tensor x, Offsets rows, Tensor memory, Offsets memory_rows, Saved& s) const {
    s = {x, memory, query.forward(cx, x), key_value.forward(cx, memory), {}, rows, memory_rows, nullptr};
    const AttentionInput in = input(s.q, s.kv, rows, memory_rows);
    show_qkv(cx, in);
    s.attention = heads.forward(cx, in);
    observe(cx, "heads", s.attention.out, rows);
    return output.forward(cx, s.attention.out);
  }
  // d += J^T dy for the residual stream; the same for d_memory and the encoder's output.
  void backward(Context& cx, const Saved& s, Tensor dy, Tensor d, Tensor d_memory) const {
    Arena::Frame frame(cx.arena);
    Tensor d_heads = output.backward(cx, s.attention.out, dy);
    observe_gradient(cx, "heads", d_heads);
    Tensor dq = cx.scratch(s.q.shape), dkv = cx.scratch(s.kv.shape);
    const AttentionInput g = input(dq, dkv, s.rows, s.memory_rows);
    heads.backward(cx, input(s.q, s.kv, s.rows, s.memory_rows), s.attention, d_heads, {g.q, g.k, g.v});
    if (s.guide) guide_backward(cx, s, dq, dkv);
    show_qkv_gradient(cx, {g.q, g.k, g.v});
    query.backward(cx, s.x, dq, d, Write::add);
    key_value.backward(cx, s.memory, dkv, d_memory, Write::add);
  }
  // The loss of the guided head against the links -> [rows]. InternalError: no such head, or an
  // additive score.
  Tensor guide_loss(Context& cx, const Saved& s, const Guide& g) const { return alignment_loss(cx, guided(s, g)); }
  // After forward: the weights of sequence b, without dropout.
  AttentionWeights weights(Context& cx, const Saved& s, size_t b) const {
    return heads.weights(cx, input(s.q, s.kv, s.rows, s.memory_rows), b);
  }
  int64_t cache_width() const { return heads.keys() + heads.values(); }
  // Keys and values of the memory, computed once per sentence: [Nk, cache_width()].
  Tensor project_cross(Context& cx, Tensor memory) const { return key_value.forward(cx, memory); }
  // x: the hypotheses in the order of their sentences; `rows`: their number per sentence (possibly
  // 0).
  Tensor step(Context& cx, Tensor x, Offsets rows, Tensor kv, Offsets memory_rows) const {
    Attention a = heads.forward(cx, input(query.forward(cx, x), kv, rows, memory_rows));
    return output.forward(cx, a.out);
  }

 private:
  AttentionInput input(Tensor q, Tensor kv, Offsets rows, Offsets memory_rows) const {
    return {.q = q.heads(heads.count),
            .k = kv.columns(0, heads.keys()).heads(heads.count),
            .v = kv.columns(heads.keys(), heads.values()).heads(heads.count),
            .queries = rows,
            .keys = memory_rows};
  }
  AlignmentInput guided(const Saved& s, const Guide& g) const;
  void guide_backward(Context& cx, const Saved& s, Tensor dq, Tensor dkv) const;
};

}  // namespace hexapla::model
