#include "backend/cpu/kernels/product.h"
#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/table.h"

namespace hexapla::cpu::ISA {
namespace {

struct QueryRange {
  int64_t from, n;
};

// q . k for n keys, key(u) giving the place of the u-th. The memory of out goes on to a whole vector.
template <class Key>
inline void dots(const float* q, int64_t d, int64_t n, Key key, float* out) {
  for (int64_t u = 0; u < n; u += N) {
    Vec rows[N];
    for (int64_t i = 0; i < N; ++i) {
      const float* k = key(u + i < n ? u + i : n - 1);
      Vec s{};
      sweep(d, [&](int64_t c, auto at) { s += at(q + c) * at(k + c); });
      rows[i] = s;
    }
    store(out + u, sums_of_rows(rows));
  }
}

constexpr int64_t few_queries = 8;  // so many do not repay turning the keys on their side for a product

// What differs between the kinds of score.
struct DotScore {
  static void prepare(const Attention&, const Blocks&) {}
  static void scores(const Attention& a, const Blocks& b, QueryRange r) {
    if (a.queries <= few_queries && a.queries < a.keys) {
      for (int64_t t = 0; t < r.n; ++t)
        dots(
            a.q + (r.from + t) * a.q_stride, a.d_k, a.keys, [&](int64_t u) { return a.k + u * a.k_stride; },
            b.scores + t * b.pad);
      return;
    }
    multiply({a.q + r.from * a.q_stride, a.q_stride, 1, a.k, 1, a.k_stride, b.scores, b.pad, nullptr, r.n, a.keys,
              a.d_k, Store::set},
             b.product);
  }
  // dq = ds k, dk += ds^T q
  static void backward(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
    multiply({b.gradients, b.pad, 1, a.k, a.k_stride, 1, g.dq + r.from * g.dq_stride, g.dq_stride, nullptr, r.n, a.d_k,
              a.keys, Store::set},
             b.product);
    multiply({b.gradients, 1, b.pad, a.q + r.from * a.q_stride, a.q_stride, 1, g.dk, g.dk_stride, nullptr, a.keys,
              a.d_k, r.n, r.from ? Store::add : Store::set},
             b.product);
  }
  static void finish(const Attention&, const AttentionBackward&, const Blocks&) {}
};

// w^T tanh(q + k): keys lie on their side, [d_k, pad], so that a vector holds neighbouring keys.
struct AdditiveScore {
  static void prepare(const Attention& a, const Blocks& b) {
    for (int64_t u = 0; u < b.pad; u += N) {
      const int64_t rows = a.keys - u < 0 ? 0 : a.keys - u;
      turn(a.k + (rows ? u : 0) * a.k_stride, a.k_stride, rows, a.d_k, b.turned + u, b.pad);
    }
    clear(b.d_turned, a.d_k * b.pad);
  }
  static void scores(const Attention& a, const Blocks& b, QueryRange r) {
    for (int64_t t = 0; t < r.n; ++t) {
      const float* q = a.q + (r.from + t) * a.q_stride;
      for (int64_t u = 0; u < a.keys; u += N) {
        Vec s{};
        for (int64_t c = 0; c < a.d_k; ++c) s += a.w[c] * tanh(q[c] + load(b.turned + c * b.pad + u));
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
        for (int64_t u = 0; u < a.keys; u += N) {
          const Vec h = tanh(q[c] + load(b.turned + c * b.pad + u)), d = load(ds + u), e = d * a.w[c] * (1.0f - h * h);
          dq += e;
          dw += d * h;
          store(b.d_turned + c * b.pad + u, load(b.d_turned + c * b.pad + u) + e);
        }
        g.dq[(r.from + t) * g.dq_stride + c] = sum(dq);
        if (g.dw) g.dw[c] += sum(dw);
      }
    }
  }
  static void finish(const Attention& a, const AttentionBackward& g, const Blocks& b) {
    for (int64_t c = 0; c < a.d_k; ++c)
      for (int64_t u = 0; u < a.keys; ++u) g.dk[u * g.dk_stride + c] = b.d_turned[c * b.pad + u];
  }
};

template <class F>
inline void each_query_block(const Attention& a, F f) {
  for (int64_t from = 0; from < a.queries; from += query_block)
    f(QueryRange{from, a.queries - from < query_block ? a.queries - from : query_block});
}

template <class Score>
inline void forward(const Attention& a) {
  const Blocks b(a);
  Score::prepare(a, b);
  each_query_block(a, [&](QueryRange r) {
    Score::scores(a, b, r);
    for (int64_t t = 0; t < r.n; ++t) {
      float* s = b.scores + t * b.pad;
      a.lse[(r.from + t) * a.lse_stride] = softmax_row(a, r.from + t, s, b.pad);
      if (a.dropout.scale != 0) drop_weights(a, r.from + t, s, b.factors);
    }
    multiply({b.scores, b.pad, 1, a.v, a.v_stride, 1, a.out + r.from * a.out_stride, a.out_stride, nullptr, r.n, a.d_v,
              a.keys, Store::set},
             b.product);
  });
}

// gradients <- d_out v^T, then the gradient of the scores; scores <- the dropped weights.
inline void gradients_of_scores(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
  multiply({g.d_out + r.from * g.d_out_stride, g.d_out_stride, 1, a.v, 1, a.v_stride, b.gradients, b.pad, nullptr, r.n,
            a.keys, a.d_v, Store::set},
           b.product);
  for (int64_t t = 0; t < r.n; ++t) {
    const int64_t query = r.from + t;
    weights_again(a, query, a.lse[query * a.lse_stride], b.scores + t * b.pad, b.pad);
    const float delta = dot(g.d_out + query * g.d_out_stride, a.out + query * a.out_stride, a.d_v);
    score_gradient_row(a, query, delta, b.scores + t * b.pad, b.gradients + t * b.pad, b.factors);
  }
}

inline void clear_rows(float* p, int64_t stride, int64_t rows, int64_t width) {
  for (int64_t i = 0; i < rows; ++i) clear(p + i * stride, width);
}

template <class Score>
inline void backward(const Attention& a, const AttentionBackward& g) {
  const Blocks b(a);
  if (a.queries == 0) {
    clear_rows(g.dk, g.dk_stride, a.keys, a.d_k);
    clear_rows(g.dv, g.dv_stride, a.keys, a.d_v);
    return;
  }
  Score::prepare(a, b);
  each_query_block(a, [&](QueryRange r) {
    Score::scores(a, b, r);
    gradients_of_scores(a, g, b, r);
    multiply({b.scores, 1, b.pad, g.d_out + r.from * g.d_out_stride, g.d_out_stride, 1, g.dv, g.dv_stride, nullptr,
              a.keys, a.d_v, r.n, r.from ? Store::add : Store::set},
             b.product);
    Score::backward(a, g, b, r);
  });
  Score::finish(a, g, b);
}

inline float additive_score(const float* q, const float* k, const float* w, int64_t n) {
  Vec s{};
  sweep(n, [&](int64_t i, auto at) { s += at(w + i) * tanh(at(q + i) + at(k + i)); });
  return sum(s);
}

// scores(head) fills the scratch with the scores of every key seen; softmax, weighted sum of the values.
template <class F>
inline void step(const AttentionStep& a, F scores) {
  for (int64_t h = 0; h < a.heads; ++h) {
    scores(h);
    const float inverse = a.length ? 1.0f / exponentials(a.scratch, a.length, highest_of(a.scratch, a.length)) : 0.0f;
    sweep(a.d_v, [&](int64_t c, auto at) {
      const float* v = a.v + h * a.v_head + c;
      Vec sums[4] = {};  // four, so that an addition need not wait for the one before
      int64_t u = 0;
      for (; u + 4 <= a.length; u += 4)
        for (int j = 0; j < 4; ++j) sums[j] += a.scratch[u + j] * at(v + a.index[u + j] * a.v_row);
      for (; u < a.length; ++u) sums[0] += a.scratch[u] * at(v + a.index[u] * a.v_row);
      at(a.out + h * a.d_v + c, ((sums[0] + sums[1]) + (sums[2] + sums[3])) * inverse);
    });
  }
}

}  // namespace

void attention(const Attention& a) { forward<DotScore>(a); }
void attention_backward(const Attention& a, const AttentionBackward& g) { backward<DotScore>(a, g); }
void additive_attention(const Attention& a) { forward<AdditiveScore>(a); }
void additive_attention_backward(const Attention& a, const AttentionBackward& g) { backward<AdditiveScore>(a, g); }

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
