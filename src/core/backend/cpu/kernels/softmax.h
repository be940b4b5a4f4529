#pragma once
// Shared by the kinds of attention: softmax of score rows, and the layout of the scratch memory.
#include "backend/cpu/kernels/math.h"
#include "backend/cpu/kernels/philox.h"

namespace hexapla::cpu::ISA {
namespace {

// Rows of `keys` scores, pad floats apart; columns from keys to pad are garbage before and 0 after.
struct Blocks {
  int64_t pad;
  float *scores, *gradients;         // [kQueryBlock, pad] each
  float *transposed, *d_transposed;  // [d_k, pad] each: transposed keys, additive score only
  float* deltas;                     // [kQueryBlock]
  float* factors;                    // [dropout_layout::kGroup]
  float* product;                    // scratch of a product
  explicit Blocks(const Attention& a) : pad(padded_keys(a.keys)) {
    scores = a.scratch;
    gradients = scores + kQueryBlock * pad;
    transposed = gradients + kQueryBlock * pad;
    d_transposed = transposed + a.d_k * pad;
    deltas = d_transposed + a.d_k * pad;
    factors = deltas + kQueryBlock;
    product = factors + dropout_layout::kGroup;
  }
};

inline int64_t visible(const Attention& a, int64_t query) {
  return a.causal && query + 1 < a.keys ? query + 1 : a.keys;
}

// s <- scale s + mask for the first n; returns their maximum.
inline float finish_scores(const Attention& a, int64_t query, int64_t n, float* s) {
  const float* mask = a.mask ? a.mask + query * a.mask_stride : nullptr;
  Vec top = all(-kInfinity);
  sweep(n, [&](int64_t i, auto at) {
    Vec v = at(s + i) * a.scale;
    if (mask) v += at(mask + i);
    at(s + i, v);
    top = max(top, at.keep(v, top));
  });
  return highest(top);
}

// s <- e^(s - top) for the first n; returns their sum.
inline float exponentials(float* s, int64_t n, float top) {
  Vec total{};
  sweep(n, [&](int64_t i, auto at) {
    const Vec e = at.keep(exp(at(s + i) - top), Vec{});
    total += e;
    at(s + i, e);
  });
  return sum(total);
}

inline void clear(float* p, int64_t n) {
  if (n > 0) std::memset(p, 0, sizeof(float) * (size_t)n);
}

// Softmax in registers, without a mask: of the first n scores in V vectors; the rest become 0.
template <int V>
inline float softmax_short(float* s, int64_t n, float scale) {
  Vec v[V], top = all(-kInfinity), total{};
  for (int j = 0; j < V; ++j) {
    v[j] = first(load(s + j * kLanes) * scale, n - j * kLanes, all(-kInfinity));
    top = max(top, v[j]);
  }
  const float highest_score = highest(top);
  for (int j = 0; j < V; ++j) {
    v[j] = exp(v[j] - highest_score);
    total += v[j];
  }
  const float all_of_it = sum(total), inverse = 1.0f / all_of_it;
  for (int j = 0; j < V; ++j) store(s + j * kLanes, v[j] * inverse);
  return highest_score + __builtin_logf(all_of_it);
}

inline float softmax_long(const Attention& a, int64_t query, float* s, int64_t pad) {
  const int64_t n = visible(a, query);
  const float top = finish_scores(a, query, n, s);
  if (!(top > -kInfinity) && top == top) {
    clear(s, pad);
    return -kInfinity;
  }
  const float total = exponentials(s, n, top), inverse = 1.0f / total;
  sweep(n, [&](int64_t i, auto at) { at(s + i, at(s + i) * inverse); });
  clear(s + n, pad - n);
  return top + __builtin_logf(total);
}

// Turns scores into weights, 0 for invisible columns; returns the log of the sum of e^score. The
// choice of implementation depends on the sequence alone.
inline float softmax_row(const Attention& a, int64_t query, float* s, int64_t pad) {
  const int64_t vectors = a.mask || a.keys == 0 ? 0 : (a.keys + kLanes - 1) / kLanes;
  switch (vectors) {
    case 1:
      return softmax_short<1>(s, visible(a, query), a.scale);
    case 2:
      return softmax_short<2>(s, visible(a, query), a.scale);
    case 3:
      return softmax_short<3>(s, visible(a, query), a.scale);
    case 4:
      return softmax_short<4>(s, visible(a, query), a.scale);
    default:
      return softmax_long(a, query, s, pad);
  }
}

// Recomputes the weights from the scores and the lse of the forward pass.
inline void weights_again(const Attention& a, int64_t query, float lse, float* s, int64_t pad) {
  const int64_t n = lse == -kInfinity ? 0 : visible(a, query);
  const float* mask = a.mask ? a.mask + query * a.mask_stride : nullptr;
  if (mask)
    sweep(n, [&](int64_t i, auto at) { at(s + i, exp(at(s + i) * a.scale + at(mask + i) - lse)); });
  else  // there is room for whole vectors
    for (int64_t i = 0; i < n; i += kLanes) store(s + i, exp(load(s + i) * a.scale - lse));
  clear(s + n, pad - n);
}

// Calls f(query, from, columns, factors) for queries first .. first + n - 1 and tiles of their
// keys: one draw serves the neighboring queries of a tile.
template <class F>
inline void with_dropout(const Attention& a, int64_t first, int64_t n, float* factors, F f) {
  constexpr int64_t together = dropout_layout::kTileQueries, keys = dropout_layout::kTileKeys;
  for (int64_t query = first; query < first + n;) {
    const int64_t row = a.first_query + query, quad = row / together;
    const int64_t left = together - row % together, count = first + n - query < left ? first + n - query : left;
    for (int64_t from = 0; from < a.keys; from += keys) {
      const int64_t columns = a.keys - from < keys ? a.keys - from : keys;
      dropout_factors(a.dropout, (uint32_t)(quad * a.heads + a.head), (uint32_t)(from / keys), dropout_layout::kGroup,
                      factors);
      for (int64_t i = 0; i < count; ++i) f(query + i, from, columns, factors + keys * (row % together + i));
    }
    query += count;
  }
}

// Applies dropout to rows of weights, pad floats apart, of n queries from `first` on.
inline void drop_weights(const Attention& a, int64_t first, int64_t n, float* s, int64_t pad, float* factors) {
  if (a.dropout.scale == 0) return;
  with_dropout(a, first, n, factors, [&](int64_t query, int64_t from, int64_t columns, const float* factor) {
    float* const weights = s + (query - first) * pad + from;
    sweep(columns, [&](int64_t i, auto at) { at(weights + i, at(weights + i) * at(factor + i)); });
  });
}

// Replaces weights p and d_p = d_out v^T by (p dropped) and the gradient of the scores, p (d_p
// dropped - delta) * scale.
inline void score_gradients(const Attention& a, const Blocks& b, int64_t first, int64_t n) {
  if (a.dropout.scale == 0) {
    for (int64_t t = 0; t < n; ++t) {
      float *p = b.scores + t * b.pad, *d_p = b.gradients + t * b.pad;
      sweep(a.keys, [&](int64_t i, auto at) { at(d_p + i, at(p + i) * (at(d_p + i) - b.deltas[t]) * a.scale); });
    }
    return;
  }
  with_dropout(a, first, n, b.factors, [&](int64_t query, int64_t from, int64_t columns, const float* factor) {
    const int64_t t = query - first, offset = t * b.pad + from;
    float *p = b.scores + offset, *d_p = b.gradients + offset;
    sweep(columns, [&](int64_t i, auto at) {
      const Vec w = at(p + i), f = at(factor + i);
      at(d_p + i, w * (at(d_p + i) * f - b.deltas[t]) * a.scale);
      at(p + i, w * f);
    });
  });
}

inline float dot(const float* a, const float* b, int64_t n) {
  Vec s{};
  sweep(n, [&](int64_t i, auto at) { s += at(a + i) * at(b + i); });
  return sum(s);
}

}  // namespace
}  // namespace hexapla::cpu::ISA
