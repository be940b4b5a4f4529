#pragma once
// Attention of one head of one sequence, block of queries by block of queries.
#include "backend/cpu/kernels/product.h"
#include "backend/cpu/kernels/softmax.h"

namespace hexapla::cpu::ISA {
namespace {

struct QueryRange {
  int64_t from, n;
};

// q . k for n keys, key(u) giving the place of the u-th. The memory of out goes on to a whole vector.
template <class Key>
inline void dots(const float* q, int64_t d, int64_t n, Key key, float* out) {
  constexpr int64_t together = N < 8 ? N : 8;  // as many places as there are registers for
  for (int64_t u = 0; u < n; u += N) {
    Vec rows[N];
    for (int64_t from = 0; from < N; from += together) {
      const float* keys[together];
      Vec sums[together];
#pragma GCC unroll 8
      for (int64_t i = 0; i < together; ++i) {
        keys[i] = key(u + from + i < n ? u + from + i : n - 1);
        sums[i] = Vec{};
      }
      sweep(d, [&](int64_t c, auto at) {
        const Vec x = at(q + c);
#pragma GCC unroll 8
        for (int64_t i = 0; i < together; ++i) sums[i] += x * at(keys[i] + c);
      });
#pragma GCC unroll 8
      for (int64_t i = 0; i < together; ++i) rows[from + i] = sums[i];
    }
    store(out + u, sums_of_rows(rows));
  }
}

// Rows are too far apart for the processor to guess that they are wanted soon. Memory that is not there does no harm.
inline void fetch(const float* row, int64_t n) {
  for (int64_t c = 0; c < n; c += 16) __builtin_prefetch(row + c);
}

constexpr int64_t few_queries = 8;  // so many do not repay turning the transposed keys for a product

// What differs between the kinds of score. Products: how a product is done.
template <class Products>
struct DotScore {
  static void prepare(const Attention&, const Blocks&) {}
  static void scores(const Attention& a, const Blocks& b, QueryRange r) {
    if (a.queries <= few_queries && a.queries < a.keys) {
      for (int64_t u = 0; u < a.keys; ++u) {
        fetch(a.v + u * a.v_stride, a.d_v);
        fetch(a.k + u * a.k_stride + a.d_k, a.d_k);  // the next head's
      }
      for (int64_t t = 0; t < r.n; ++t)
        dots(
            a.q + (r.from + t) * a.q_stride, a.d_k, a.keys, [&](int64_t u) { return a.k + u * a.k_stride; },
            b.scores + t * b.pad);
      return;
    }
    Products::run({a.q + r.from * a.q_stride, a.q_stride, 1, a.k, 1, a.k_stride, b.scores, b.pad, nullptr, r.n, a.keys,
                   a.d_k, Store::set},
                  b.product);
  }
  // dq = ds k, dk += ds^T q
  static void backward(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
    Products::run({b.gradients, b.pad, 1, a.k, a.k_stride, 1, g.dq + r.from * g.dq_stride, g.dq_stride, nullptr, r.n,
                   a.d_k, a.keys, Store::set},
                  b.product);
    Products::run({b.gradients, 1, b.pad, a.q + r.from * a.q_stride, a.q_stride, 1, g.dk, g.dk_stride, nullptr, a.keys,
                   a.d_k, r.n, r.from ? Store::add : Store::set},
                  b.product);
  }
  static void finish(const Attention&, const AttentionBackward&, const Blocks&) {}
};

template <class F>
inline void each_query_block(const Attention& a, F f) {
  for (int64_t from = 0; from < a.queries; from += query_block)
    f(QueryRange{from, a.queries - from < query_block ? a.queries - from : query_block});
}

template <class Score, class Products>
inline void forward(const Attention& a) {
  const Blocks b(a);
  Score::prepare(a, b);
  each_query_block(a, [&](QueryRange r) {
    Score::scores(a, b, r);
    for (int64_t t = 0; t < r.n; ++t) {
      float* s = b.scores + t * b.pad;
      a.lse[(r.from + t) * a.lse_stride] = softmax_row(a, r.from + t, s, b.pad);
    }
    drop_weights(a, r.from, r.n, b.scores, b.pad, b.factors);
    Products::run({b.scores, b.pad, 1, a.v, a.v_stride, 1, a.out + r.from * a.out_stride, a.out_stride, nullptr, r.n,
                   a.d_v, a.keys, Store::set},
                  b.product);
  });
}

// gradients <- d_out v^T, then the gradient of the scores; scores <- the dropped weights.
template <class Products>
inline void gradients_of_scores(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
  Products::run({g.d_out + r.from * g.d_out_stride, g.d_out_stride, 1, a.v, 1, a.v_stride, b.gradients, b.pad, nullptr,
                 r.n, a.keys, a.d_v, Store::set},
                b.product);
  for (int64_t t = 0; t < r.n; ++t) {
    const int64_t query = r.from + t;
    weights_again(a, query, a.lse[query * a.lse_stride], b.scores + t * b.pad, b.pad);
    b.deltas[t] = dot(g.d_out + query * g.d_out_stride, a.out + query * a.out_stride, a.d_v);
  }
  score_gradients(a, b, r.from, r.n);
}

inline void clear_rows(float* p, int64_t stride, int64_t rows, int64_t width) {
  for (int64_t i = 0; i < rows; ++i) clear(p + i * stride, width);
}

template <class Score, class Products>
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
    gradients_of_scores<Products>(a, g, b, r);
    Products::run({b.scores, 1, b.pad, g.d_out + r.from * g.d_out_stride, g.d_out_stride, 1, g.dv, g.dv_stride, nullptr,
                   a.keys, a.d_v, r.n, r.from ? Store::add : Store::set},
                  b.product);
    Score::backward(a, g, b, r);
  });
  Score::finish(a, g, b);
}

}  // namespace
}  // namespace hexapla::cpu::ISA
