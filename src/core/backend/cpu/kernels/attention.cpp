#include "backend/cpu/kernels/attention.h"

#include "backend/cpu/kernels/table.h"

namespace hexapla::cpu::ISA {
namespace {

struct Products {
  static void run(const Product& p, float* scratch) { multiply(p, scratch); }
};
using Dot = DotScore<Products>;

// w^T tanh(q + k): keys transposed, [d_k, pad], so that a vector holds neighboring keys.
struct AdditiveScore {
  static void prepare(const Attention& a, const Blocks& b) {
    for (int64_t u = 0; u < b.pad; u += kLanes) {
      const int64_t rows = a.keys - u < 0 ? 0 : a.keys - u;
      turn(a.k + (rows ? u : 0) * a.k_stride, a.k_stride, rows, a.d_k, b.transposed + u, b.pad);
    }
    clear(b.d_transposed, a.d_k * b.pad);
  }
  static void scores(const Attention& a, const Blocks& b, QueryRange r) {
    for (int64_t t = 0; t < r.n; ++t) {
      const float* q = a.q + (r.from + t) * a.q_stride;
      for (int64_t u = 0; u < a.keys; u += kLanes) {
        Vec s{};
        for (int64_t c = 0; c < a.d_k; ++c) s += a.w[c] * tanh(q[c] + load(b.transposed + c * b.pad + u));
        store(b.scores + t * b.pad + u, s);
      }
    }
  }
  static void backward(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
    for (int64_t t = 0; t < r.n; ++t) {
      const float *q = a.q + (r.from + t) * a.q_stride, *ds = b.gradients + t * b.pad;
      clear(b.gradients + t * b.pad + a.keys, b.pad - a.keys);
      for (int64_t c = 0; c < a.d_k; ++c) {
        Vec dq{}, dw{};
        for (int64_t u = 0; u < a.keys; u += kLanes) {
          const Vec h = tanh(q[c] + load(b.transposed + c * b.pad + u)), d = load(ds + u),
                    e = d * a.w[c] * (1.0f - h * h);
          dq += e;
          dw += d * h;
          store(b.d_transposed + c * b.pad + u, load(b.d_transposed + c * b.pad + u) + e);
        }
        g.dq[(r.from + t) * g.dq_stride + c] = sum(dq);
        if (g.dw) g.dw[c] += sum(dw);
      }
    }
  }
  static void finish(const Attention& a, const AttentionBackward& g, const Blocks& b) {
    for (int64_t c = 0; c < a.d_k; ++c)
      for (int64_t u = 0; u < a.keys; ++u) g.dk[u * g.dk_stride + c] = b.d_transposed[c * b.pad + u];
  }
};

inline float additive_score(const float* q, const float* k, const float* w, int64_t n) {
  Vec s{};
  sweep(n, [&](int64_t i, auto at) { s += at(w + i) * tanh(at(q + i) + at(k + i)); });
  return sum(s);
}

// scores(head) fills the scratch with the scores of all visible keys; then softmax and the weighted
// sum of the values.
template <class F>
inline void step(const AttentionStep& a, F scores) {
  for (int64_t h = 0; h < a.heads; ++h) {
    scores(h);
    const float inverse = a.length ? 1.0f / exponentials(a.scratch, a.length, highest_of(a.scratch, a.length)) : 0.0f;
    sweep(a.d_v, [&](int64_t c, auto at) {
      const float* v = a.v + h * a.v_head + c;
      Vec sums[4] = {};  // four, so that additions need not wait for each other
      int64_t u = 0;
      for (; u + 4 <= a.length; u += 4)
        for (int j = 0; j < 4; ++j) sums[j] += a.scratch[u + j] * at(v + a.index[u + j] * a.v_row);
      for (; u < a.length; ++u) sums[0] += a.scratch[u] * at(v + a.index[u] * a.v_row);
      at(a.out + h * a.d_v + c, ((sums[0] + sums[1]) + (sums[2] + sums[3])) * inverse);
    });
  }
}

}  // namespace

void attention(const Attention& a) { forward<Dot, Products>(a); }
void attention_backward(const Attention& a, const AttentionBackward& g) { backward<Dot, Products>(a, g); }
void additive_attention(const Attention& a) { forward<AdditiveScore, Products>(a); }
void additive_attention_backward(const Attention& a, const AttentionBackward& g) {
  backward<AdditiveScore, Products>(a, g);
}

void attention_step(const AttentionStep& a) {
  step(a, [&](int64_t h) {
    const float* k = a.k + h * a.k_head;
    dots(
        a.q + h * a.q_head, a.d_k, a.length, [&](int64_t u) { return k + a.index[u] * a.k_row; }, a.scratch);
    sweep(a.length, [&](int64_t u, auto at) { at(a.scratch + u, at(a.scratch + u) * a.scale); });
  });
}
void additive_attention_step(const AttentionStep& a) {
  step(a, [&](int64_t h) {
    for (int64_t u = 0; u < a.length; ++u)
      a.scratch[u] =
          additive_score(a.q + h * a.q_head, a.k + a.index[u] * a.k_row + h * a.k_head, a.w + h * a.d_k, a.d_k);
  });
}

}  // namespace hexapla::cpu::ISA
