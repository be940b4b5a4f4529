#pragma once
// A vector of VEC_BYTES / 4 floats, using the vector extensions of GCC and Clang.
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>  // always_inline throughout: nothing of it is left to the linker
#elif defined(HEXAPLA_NEON)
#include <arm_neon.h>  // the same
#endif

#include "backend/cpu/kernels/kernels.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t kLanes = VEC_BYTES / 4;
typedef float Vec __attribute__((vector_size(VEC_BYTES)));
typedef int32_t Int __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t Uint __attribute__((vector_size(VEC_BYTES)));
typedef uint64_t Wide __attribute__((vector_size(VEC_BYTES)));

template <int... I>
struct Seq {};
#if VEC_BYTES == 64
using Lanes = Seq<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
#elif VEC_BYTES == 32
using Lanes = Seq<0, 1, 2, 3, 4, 5, 6, 7>;
#else
using Lanes = Seq<0, 1, 2, 3>;
#endif
template <int... I>
inline Int lane_numbers(Seq<I...>) {
  return Int{I...};
}
inline Int lanes() { return lane_numbers(Lanes{}); }

inline Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(float* p, Vec v) { std::memcpy(p, &v, sizeof v); }
// Non-temporal store to a multiple of VEC_BYTES; call finish_stores() before another thread reads
// it.
#if VEC_BYTES == 64
inline void store_past_cache(float* p, Vec v) { _mm512_stream_ps(p, (__m512)v); }
#elif VEC_BYTES == 32
inline void store_past_cache(float* p, Vec v) { _mm256_stream_ps(p, (__m256)v); }
#else
inline void store_past_cache(float* p, Vec v) { store(p, v); }
#endif
inline void finish_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}
inline Vec all(float x) { return x - Vec{}; }  // x - 0 is x even for -0: a broadcast without an addition

// The first n lanes, 0 <= n < kLanes; the others are 0 and their memory is not accessed.
#if VEC_BYTES == 64
inline Vec load_part(const float* p, int64_t n) { return (Vec)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p); }
inline void store_part(float* p, Vec v, int64_t n) { _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v); }
#elif VEC_BYTES == 32
inline Vec load_part(const float* p, int64_t n) { return (Vec)_mm256_maskload_ps(p, (__m256i)(lanes() < (int32_t)n)); }
inline void store_part(float* p, Vec v, int64_t n) {  // AMD's processors take tens of cycles for a masked store
  __m128 rest = _mm256_castps256_ps128((__m256)v);
  if (n & 4) {
    _mm_storeu_ps(p, rest);
    p += 4;
    rest = _mm256_extractf128_ps((__m256)v, 1);
  }
  if (n & 2) {
    _mm_storel_pi((__m64*)p, rest);
    p += 2;
    rest = _mm_movehl_ps(rest, rest);
  }
  if (n & 1) _mm_store_ss(p, rest);
}
#elif defined(HEXAPLA_NEON)
inline Vec load_part(const float* p, int64_t n) {
  const float32x4_t none{};
  if (n < 2) return n ? (Vec)vld1q_lane_f32(p, none, 0) : Vec{};
  const float32x4_t two = vcombine_f32(vld1_f32(p), vget_low_f32(none));
  return (Vec)(n == 2 ? two : vld1q_lane_f32(p + 2, two, 2));
}
inline void store_part(float* p, Vec v, int64_t n) {
  if (n & 2) vst1_f32(p, vget_low_f32((float32x4_t)v));
  if (n & 1) p[n - 1] = n == 1 ? v[0] : v[2];
}
#else
inline Vec load_part(const float* p, int64_t n) {
  Vec v{};
  for (int64_t i = 0; i < n; ++i) v[i] = p[i];
  return v;
}
inline void store_part(float* p, Vec v, int64_t n) {
  for (int64_t i = 0; i < n; ++i) p[i] = v[i];
}
#endif

// The first n lanes of v; `rest` in the others.
inline Vec first(Vec v, int64_t n, Vec rest) { return lanes() < (int32_t)n ? v : rest; }

inline Vec max(Vec a, Vec b) { return b > a ? b : a; }

template <int H, int... I>
inline Vec exchange(Vec v, Seq<I...>) {
  return __builtin_shufflevector(v, v, (I ^ H)...);
}
inline float sum(Vec v) {
#if VEC_BYTES == 64
  v += exchange<8>(v, Lanes{});
#endif
#if VEC_BYTES >= 32
  v += exchange<4>(v, Lanes{});
#endif
  v += exchange<2>(v, Lanes{});
  v += exchange<1>(v, Lanes{});
  return v[0];
}
inline float highest(Vec v) {
#if VEC_BYTES == 64
  v = max(v, exchange<8>(v, Lanes{}));
#endif
#if VEC_BYTES >= 32
  v = max(v, exchange<4>(v, Lanes{}));
#endif
  v = max(v, exchange<2>(v, Lanes{}));
  v = max(v, exchange<1>(v, Lanes{}));
  return v[0];
}

template <int... I>
inline Vec interleave_low(Vec a, Vec b, Seq<I...>) {
  return __builtin_shufflevector(a, b, (I / 2 + (I & 1) * (int)kLanes)...);
}
template <int... I>
inline Vec interleave_high(Vec a, Vec b, Seq<I...>) {
  return __builtin_shufflevector(a, b, ((int)kLanes / 2 + I / 2 + (I & 1) * (int)kLanes)...);
}
// rows[i][j] <-> rows[j][i]: log2(kLanes) perfect shuffles.
inline void transpose(Vec (&rows)[kLanes]) {
  for (int64_t step = 1; step < kLanes; step *= 2) {
    Vec next[kLanes];
    for (int64_t i = 0; i < kLanes / 2; ++i) {
      next[2 * i] = interleave_low(rows[i], rows[i + kLanes / 2], Lanes{});
      next[2 * i + 1] = interleave_high(rows[i], rows[i + kLanes / 2], Lanes{});
    }
    for (int64_t i = 0; i < kLanes; ++i) rows[i] = next[i];
  }
}

// Lane j of the result is the sum of rows[j]; overwrites rows.
inline Vec sums_of_rows(Vec (&rows)[kLanes]) {
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      rows[i] = interleave_low(rows[i], rows[i + half], Lanes{}) + interleave_high(rows[i], rows[i + half], Lanes{});
  return rows[0];
}

// Calls body(i, load and store) for whole vectors, then for the rest: load(p) and store(p, v)
// access only existing elements.
struct Whole {
  __attribute__((always_inline)) Vec operator()(const float* p) const { return load(p); }
  __attribute__((always_inline)) void operator()(float* p, Vec v) const { store(p, v); }
  __attribute__((always_inline)) Vec keep(Vec v, Vec) const { return v; }
};
struct Part {
  int64_t n;
  __attribute__((always_inline)) Vec operator()(const float* p) const { return load_part(p, n); }
  __attribute__((always_inline)) void operator()(float* p, Vec v) const { store_part(p, v, n); }
  __attribute__((always_inline)) Vec keep(Vec v, Vec rest) const { return first(v, n, rest); }
};
template <class Body>
inline __attribute__((always_inline)) void sweep(int64_t n, Body body) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(i, Whole{});
  if (i < n) body(i, Part{n - i});
}

}  // namespace
}  // namespace hexapla::cpu::ISA
