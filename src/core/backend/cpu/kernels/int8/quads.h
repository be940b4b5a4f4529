#pragma once
// 8-bit integers in packed rows and strips, with a scale for every column of the weight and every
// row of a. x86's instructions multiply unsigned by signed bytes, so a's integers are shifted up by
// 128, and 128 times the sum of the column is subtracted at the end; Arm's multiply signed ones. A unit is four terms.
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

#if VEC_BYTES == 64
constexpr int32_t kShift = 128;
inline Vec difference(Bits a, Bits b) { return (Vec)_mm512_cvtepi32_ps(_mm512_sub_epi32(a, b)); }
inline void store_bytes(void* p, Vec x) {
  const Int v = (Int)_mm512_cvtps_epi32((__m512)x) + kShift;
  _mm_storeu_si128((__m128i*)p, _mm512_cvtepi32_epi8((__m512i)v));
}
#else
constexpr int32_t kShift = 0;
inline Vec difference(Bits a, Bits b) { return (Vec)vcvtq_f32_s32(vsubq_s32(a, b)); }
inline void store_bytes(void* p, Vec x) {
  const int16x4_t halves = vmovn_s32(vcvtnq_s32_f32((float32x4_t)x));
  const int32_t bytes = vget_lane_s32(vreinterpret_s32_s8(vmovn_s16(vcombine_s16(halves, halves))), 0);
  std::memcpy(p, &bytes, sizeof bytes);
}
#endif

// Units per column of Packed: whole AMX tiles, in which a row is 16 quads. Missing terms are zeros.
inline int64_t units_of(int64_t k) { return (k + 4 * kLanes - 1) / (4 * kLanes) * kLanes; }
// Stride of a row of quads: whole vectors of terms, and not a power of two.
inline int64_t row_of(int64_t k) { return (k + kLanes - 1) / kLanes * (kLanes / 4) + kLanes; }

// c = (sums of integers - column sums) * row scale * column scale + bias.
struct ScaledTarget {
  float* c;
  int64_t stride, columns;
  const float *bias, *row_scales, *scales;  // scales and sums: whole strips
  const int32_t* sums;
  ScaledTarget from_row(int64_t i) const {
    return {c + i * stride, stride, columns, bias, row_scales + i, scales, sums};
  }
  // Converts sums to floats, for the columns of vector j.
  struct Column {
    Vec scale, bias;
    Bits sums;
    __attribute__((always_inline)) Vec number(Bits sum, float row_scale) const {
      return difference(sum, sums) * (row_scale * scale) + bias;
    }
  };
  template <class At>
  __attribute__((always_inline)) Column column(int j, At at) const {
    return {load(scales + j * kLanes), bias ? at(bias + j * kLanes) : Vec{}, load_bits(sums + j * kLanes)};
  }
};

// The target of the strip that begins at column j.
inline ScaledTarget scaled_target(const Product& p, int64_t j, const float* row_scales) {
  return {p.c + j,
          p.c_stride,
          p.n - j < kStrip ? p.n - j : kStrip,
          p.bias ? p.bias + j : nullptr,
          row_scales,
          p.packed.scales + j,
          p.packed.sums + j};
}

inline float magnitude(const float* x, int64_t step, int64_t n) {
  if (step != 1) {
    float most = 0;
    for (int64_t i = 0; i < n; ++i) most = __builtin_fabsf(x[i * step]) > most ? __builtin_fabsf(x[i * step]) : most;
    return most;
  }
  Vec most{};
  sweep(n, [&](int64_t i, auto at) { most = max(most, (Vec)((Int)at(x + i) & 0x7FFFFFFF)); });
  return highest(most);
}

// Returns the scale of the row's integers.
inline float quantize_row(const float* x, int64_t n, float* out) {
  const float most = magnitude(x, 1, n);
  const Vec inverse = all(most > 0 ? 127 / most : 0.0f);
  sweep(n, [&](int64_t i, auto at) { store_bytes((uint8_t*)out + i, at(x + i) * inverse); });
  return most / 127;
}

}  // namespace
}  // namespace hexapla::cpu::ISA
