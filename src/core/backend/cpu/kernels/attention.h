#pragma once
// Attention of one head of one sequence, by blocks of queries.
#include "backend/cpu/kernels/product.h"
#include "backend/cpu/kernels/softmax.h"

namespace hexapla::cpu::ISA {
namespace {

struct QueryRange {
  int64_t from, n;
};

// q . k for n keys, where key(u) returns the address of the u-th. out must have room for whole
// vectors.
template <class Key>
inline void dots(const float* q, int64_t d, int64_t n, Key key, float* out) {
  constexpr int64_t together = kLanes < 8 ? kLanes : 8;  // as many keys as there are registers for
  for (int64_t u = 0; u < n; u += kLanes) {
    Vec rows[kLanes];
    for (int64_t from = 0; from < kLanes; from += together) {
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

// Prefetches a row: rows are too far apart for the hardware prefetcher. Invalid addresses do no
// harm.
inline void fetch(const float* row, int64_t n) {
  for (int64_t c = 0; c < n; c += 16) __builtin_prefetch(row + c);
}

constexpr int64_t kFewQueries = 8;  // up to here, transposing the keys for a product does not pay

// The parts that differ between the kinds of score. Products: how to compute a product.
template <class Products>
struct DotScore {
  static void prepare(const Attention&, const Blocks&) {}
  static void scores(const Attention& a, const Blocks& b, QueryRange r) {
    if (a.queries <= kFewQueries && a.queries < a.keys) {
      for (int64_t u = 0; u < a.keys; ++u) {
        fetch(a.v + u * a.v_stride, a.d_v);
        fetch(a.k + u * a.k_stride + a.d_k, a.d_k);  // of the next head
      }
      for (int64_t t = 0; t < r.n; ++t)
        dots(
            a.q + (r.from + t) * a.q_stride, a.d_k, a.keys, [&](int64_t u) { return a.k + u * a.k_stride; },
            b.scores + t * b.pad);
      return;
    }
    Products::run({.a = a.q + r.from * a.q_stride,
                   .a_row = a.q_stride,
                   .a_k = 1,
                   .b = a.k,
                   .b_k = 1,
                   .b_n = a.k_stride,
                   .c = b.scores,
                   .c_stride = b.pad,
                   .m = r.n,
                   .n = a.keys,
                   .k = a.d_k},
                  b.product);
  }
  // dq = ds k, dk += ds^T q
  static void backward(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
    Products::run({.a = b.gradients,
                   .a_row = b.pad,
                   .a_k = 1,
                   .b = a.k,
                   .b_k = a.k_stride,
                   .b_n = 1,
                   .c = g.dq + r.from * g.dq_stride,
                   .c_stride = g.dq_stride,
                   .m = r.n,
                   .n = a.d_k,
                   .k = a.keys},
                  b.product);
    Products::run({.a = b.gradients,
                   .a_row = 1,
                   .a_k = b.pad,
                   .b = a.q + r.from * a.q_stride,
                   .b_k = a.q_stride,
                   .b_n = 1,
                   .c = g.dk,
                   .c_stride = g.dk_stride,
                   .m = a.keys,
                   .n = a.d_k,
                   .k = r.n,
                   .store = r.from ? Store::add : Store::set},
                  b.product);
  }
  static void finish(const Attention&, const AttentionBackward&, const Blocks&) {}
};

template <class F>
inline void each_query_block(const Attention& a, F f) {
  for (int64_t from = 0; from < a.queries; from += kQueryBlock)
    f(QueryRange{from, a.queries - from < kQueryBlock ? a.queries - from : kQueryBlock});
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
    Products::run({.a = b.scores,
                   .a_row = b.pad,
                   .a_k = 1,
                   .b = a.v,
                   .b_k = a.v_stride,
                   .b_n = 1,
                   .c = a.out + r.from * a.out_stride,
                   .c_stride = a.out_stride,
                   .m = r.n,
                   .n = a.d_v,
                   .k = a.keys},
                  b.product);
  });
}

// gradients <- d_out v^T, then the gradient of the scores; scores <- the weights after dropout.
template <class Products>
inline void gradients_of_scores(const Attention& a, const AttentionBackward& g, const Blocks& b, QueryRange r) {
  Products::run({.a = g.d_out + r.from * g.d_out_stride,
                 .a_row = g.d_out_stride,
                 .a_k = 1,
                 .b = a.v,
                 .b_k = 1,
                 .b_n = a.v_stride,
                 .c = b.gradients,
                 .c_stride = b.pad,
                 .m = r.n,
                 .n = a.keys,
                 .k = a.d_v},
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
    Products::run({.a = b.scores,
                   .a_row = 1,
                   .a_k = b.pad,
                   .b = g.d_out + r.from * g.d_out_stride,
                   .b_k = g.d_out_stride,
                   .b_n = 1,
                   .c = g.dv,
                   .c_stride = g.dv_stride,
                   .m = a.keys,
                   .n = a.d_v,
                   .k = r.n,
                   .store = r.from ? Store::add : Store::set},
                  b.product);
    Score::backward(a, g, b, r);
  });
  Score::finish(a, g, b);
}

}  // namespace
}  // namespace hexapla::cpu::ISA
