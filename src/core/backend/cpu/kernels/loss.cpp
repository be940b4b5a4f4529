#include "backend/cpu/kernels/math.h"
#include "backend/cpu/kernels/table.h"

namespace hexapla::cpu::ISA {
namespace {

struct Sums {
  float exps, values;
};
// Calls f(position, whole or part, value, e^(value - top)) for every vector of the row; returns the
// sums of both.
template <class F>
inline __attribute__((always_inline)) Sums sums_of(const float* x, int64_t n, float top, F f) {
  Vec exps[4] = {}, values[4] = {};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes)
    for (int j = 0; j < 4; ++j) {
      const Vec v = load(x + i + j * kLanes), e = exp(v - top);
      values[j] += v;
      exps[j] += e;
      f(i + j * kLanes, Whole{}, e);
    }
  sweep(n - i, [&](int64_t c, auto at) {
    const Vec v = at(x + i + c), e = at.keep(exp(v - top), Vec{});
    values[0] += v;
    exps[0] += e;
    f(i + c, at, e);
  });
  return {sum((exps[0] + exps[1]) + (exps[2] + exps[3])), sum((values[0] + values[1]) + (values[2] + values[3]))};
}

inline double log_sum(float top, float exps) { return (double)top + __builtin_log((double)exps); }

inline void write_loss(const LossRows& l, int64_t row, float label_logit, double lse, double values) {
  const double s = l.smoothing;
  l.nll[row] = (float)(lse - label_logit);
  l.loss[row] = (float)(lse - (1 - s) * label_logit - s * values / (double)l.width);
}

inline double log_sum_of(const float* x, int64_t n, float top) {
  return log_sum(top, sums_of(x, n, top, [](int64_t, auto, Vec) {}).exps);
}

// The best k so far, best first.
struct Best {
  float* scores;
  int32_t* ids;
  int64_t k, held = 0;

  void offer(float score, int32_t id) {
    if (held == k && !(score > scores[k - 1])) return;
    int64_t at = held < k ? held++ : k - 1;
    for (; at > 0 && score > scores[at - 1]; --at) {
      scores[at] = scores[at - 1];
      ids[at] = ids[at - 1];
    }
    scores[at] = score;
    ids[at] = id;
  }
};

// One bit per lane.
inline uint32_t bits_of(Int mask) {
#if VEC_BYTES == 64
  return _mm512_movepi32_mask((__m512i)mask);
#elif VEC_BYTES == 32
  return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(HEXAPLA_NEON)
  return vaddvq_u32((uint32x4_t)(mask & Int{1, 2, 4, 8}));
#else
  return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

struct Bounds {
  float top, low;  // the maximum, and a value that at least k numbers reach (if there are k that are not NaN)
};
// Splits a row into 4 kLanes parts; the k-th largest of their maxima is a good lower bound. Comparing
// every number with the best so far would cost more than everything else, because many are the best
// for a while.
inline Bounds bounds_of(const float* x, int64_t n, int64_t k) {
  Vec parts[4] = {all(-kInfinity), all(-kInfinity), all(-kInfinity), all(-kInfinity)};
  const auto highest_part = [&] { return highest(max(max(parts[0], parts[1]), max(parts[2], parts[3]))); };
  int64_t begin = 0;
  for (; begin + 4 * kLanes <= n; begin += 4 * kLanes)
    for (int64_t j = 0; j < 4; ++j) parts[j] = max(parts[j], load(x + begin + j * kLanes));
  sweep(n - begin, [&](int64_t c, auto at) { parts[0] = max(parts[0], at.keep(at(x + begin + c), parts[0])); });
  const float top = highest_part();
  float low = top;
  for (int64_t passed = 1; passed < k && low > -kInfinity; ++passed) {  // removes equal ones together: lower is fine
    for (Vec& part : parts) part = part == low ? all(-kInfinity) : part;
    low = highest_part();
  }
  return {top, low};
}

__attribute__((noinline)) void offer_lanes(Best& best, const float* x, uint32_t lanes, int64_t first) {
  for (; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    best.offer(x[first + lane], (int32_t)(first + lane));
  }
}

// next: the next row, which is prefetched meanwhile.
inline void top_of_row(const float* x, int64_t n, const float* next, Best best) {
  const Bounds bounds = bounds_of(x, n, best.k);
  const Sums sums = sums_of(x, n, bounds.top, [&](int64_t i, auto at, Vec) {
    __builtin_prefetch(next + i);
    const uint32_t lanes = bits_of(at.keep(at(x + i), all(__builtin_nanf(""))) >= bounds.low);
    if (__builtin_expect(lanes != 0, 0)) offer_lanes(best, x, lanes, i);
  });
  for (int64_t i = 0; best.held < best.k; ++i) best.offer(x[i], (int32_t)i);  // fewer than k are not NaN
  const float lse = (float)log_sum(bounds.top, sums.exps);
  for (int64_t j = 0; j < best.held; ++j) best.scores[j] -= lse;
}

}  // namespace

void loss(const LossRows& l) {
  for (int64_t row = 0; row < l.rows; ++row) {
    const float* x = l.logits + row * l.stride;
    const float top = highest_of(x, l.width);
    const Sums s = sums_of(x, l.width, top, [](int64_t, auto, Vec) {});
    write_loss(l, row, x[l.labels[row]], log_sum(top, s.exps), s.values);
  }
}

void loss_gradient(const LossRows& l) {
  const float everywhere = l.smoothing / (float)l.width * l.scale, at_label = (1 - l.smoothing) * l.scale;
  for (int64_t row = 0; row < l.rows; ++row) {
    float* x = l.logits + row * l.stride;
    const float label_logit = x[l.labels[row]], top = highest_of(x, l.width);
    const Sums s = sums_of(x, l.width, top, [&](int64_t i, auto at, Vec e) {
      __builtin_prefetch(x + l.stride + i);
      at(x + i, e);
    });
    write_loss(l, row, label_logit, log_sum(top, s.exps), s.values);
    const float scale = l.scale / s.exps;
    sweep(l.width, [&](int64_t i, auto at) { at(x + i, at(x + i) * scale - everywhere); });
    x[l.labels[row]] -= at_label;
  }
}

void log_softmax(const float* x, float* y, int64_t n) {
  const float lse = (float)log_sum_of(x, n, highest_of(x, n));
  sweep(n, [&](int64_t i, auto at) { at(y + i, at(x + i) - lse); });
}

void log_softmax_top(const TopRows& t) {
  for (int64_t row = 0; row < t.rows; ++row)
    top_of_row(t.x + row * t.x_stride, t.width, t.x + (row + 1) * t.x_stride,
               Best{t.scores + row * t.scores_stride, t.ids + row * t.ids_stride, t.k});
}

}  // namespace hexapla::cpu::ISA
