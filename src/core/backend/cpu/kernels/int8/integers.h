#pragma once
// 8-bit integers in packed rows and strips, with a scale for every column of the weight and every row of a. A unit of a
// is 32 bits: four terms where the processor has dot products of bytes, else two, which are wider there.
#include "backend/cpu/kernels/product.h"
#ifdef HEXAPLA_DOT_PRODUCTS
#include "backend/cpu/kernels/instructions.h"
#endif

namespace hexapla::cpu::ISA {
namespace {

#ifdef HEXAPLA_DOT_PRODUCTS
constexpr int64_t kTerms = 4;
typedef int8_t Term;
#else
constexpr int64_t kTerms = 2;
typedef int16_t Term;
#endif
// x86's dot products multiply unsigned by signed bytes, so a's integers are shifted up by 128, and 128 times the sum of
// the column is subtracted at the end; the others multiply signed ones.
#if defined(HEXAPLA_DOT_PRODUCTS) && !defined(HEXAPLA_NEON)
constexpr int32_t kShift = 128;
#else
constexpr int32_t kShift = 0;
#endif
constexpr int64_t kUnitsOfRow = kStrip * kTerms / 4;  // floats from one row of a strip to the next

// To the nearest integers, ties to even.
inline Int nearest(Vec x) {
#if VEC_BYTES == 64
  return (Int)_mm512_cvtps_epi32((__m512)x);
#elif VEC_BYTES == 32
  return (Int)_mm256_cvtps_epi32((__m256)x);
#elif defined(HEXAPLA_NEON)
  return (Int)vcvtnq_s32_f32((float32x4_t)x);
#else
  const Vec shift = all(12582912.0f);  // 1.5 * 2^23: above it, floats are the integers
  return (Int)(x + shift) - (Int)shift;
#endif
}
inline void store_terms(Term* p, Vec x) {
  typedef Term Terms __attribute__((vector_size(kLanes * sizeof(Term))));
  const Terms terms = __builtin_convertvector(nearest(x) + kShift, Terms);
  std::memcpy(p, &terms, sizeof terms);
}

// 32-bit units per column of Packed: whole AMX tiles, in which a row is 16 quads. Missing terms are zeros.
inline int64_t units_of(int64_t k) { return (k + 4 * kLanes - 1) / (4 * kLanes) * kLanes; }
// Stride of a's rows: whole vectors of terms, and not a power of two.
inline int64_t row_of(int64_t k) { return (k + kLanes - 1) / kLanes * (kLanes / kTerms) + kLanes; }

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
    Int sums;
    __attribute__((always_inline)) Vec number(Bits sum, float row_scale) const {
      return __builtin_convertvector((Int)sum - sums, Vec) * (row_scale * scale) + bias;
    }
  };
  template <class At>
  __attribute__((always_inline)) Column column(int j, At at) const {
    return {load(scales + j * kLanes), bias ? at(bias + j * kLanes) : Vec{}, (Int)load_bits(sums + j * kLanes)};
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
  sweep(n, [&](int64_t i, auto at) { store_terms((Term*)out + i, at(x + i) * inverse); });
  return most / 127;
}

}  // namespace
}  // namespace hexapla::cpu::ISA
