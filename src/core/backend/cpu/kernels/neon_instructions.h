#pragma once
// Arm's instructions for narrow numbers: dot products of bytes, and products of small matrices (I8MM, BF16), which add
// to 2 x 2 sums two rows of a times two columns of b, two units each. See the Arm Architecture Reference Manual, C7.2.
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
// To bf16, ties to even: (a0 a1) (a2 a3) (b0 b1) (b2 b3)
inline Vec pairs_along(Vec a, Vec b) {
  return (Vec)vcvtq_high_bf16_f32(vcvtq_low_bf16_f32((float32x4_t)a), (float32x4_t)b);
}
__attribute__((always_inline)) inline Vec add_pairs(Vec sum, Bits x, Bits row) {
  return (Vec)vbfmmlaq_f32((float32x4_t)sum, vreinterpretq_bf16_s32(x), vreinterpretq_bf16_s32(row));
}
#elif defined(__ARM_FEATURE_MATMUL_INT8)
__attribute__((always_inline)) inline Bits add_quads(Bits sum, Bits x, Bits row) {
  return vmmlaq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(row));
}
#else
// sum + x0 row0 + ... + x3 row3
__attribute__((always_inline)) inline Bits add_quads(Bits sum, Bits x, Bits row) {
  return vdotq_s32(sum, vreinterpretq_s8_s32(x), vreinterpretq_s8_s32(row));
}
#endif

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) || defined(__ARM_FEATURE_MATMUL_INT8)
// Units t and t + 1 of rows r and s: s = r + 1, or r at the end of an odd tile, where nothing may be read beyond.
__attribute__((always_inline)) inline Bits two_rows(const Rows& a, int r, int s, int64_t t) {
  return vcombine_s32(vld1_s32((const int32_t*)a.at(r, t)), vld1_s32((const int32_t*)a.at(s, t)));
}
__attribute__((always_inline)) inline Bits two_rows(const Columns& a, int r, int s, int64_t t) {
  const auto* at = (const int32_t*)a.at(r, t);
  const auto* next = (const int32_t*)a.at(r, t + 1);
  const int32x2_t first = s > r ? vld1_s32(at) : vld1_dup_s32(at), second = s > r ? vld1_s32(next) : vld1_dup_s32(next);
  return vcombine_s32(vzip1_s32(first, second), vzip2_s32(first, second));
}
template <class Sum>
__attribute__((always_inline)) inline Sum row_of_sums(Sum left, Sum right, int row) {
  const int64x2_t a = (int64x2_t)left, b = (int64x2_t)right;
  return (Sum)(row ? vzip2q_s64(a, b) : vzip1q_s64(a, b));
}

// The tile of product.h by products of small matrices; b has an even number of units, and so has a.
template <class Terms, int R, int C, class A, class Target>
requires(__is_base_of(NarrowUnits, Terms))
    __attribute__((noinline)) void tile(A a, const float* b, int64_t b_stride, int64_t k, Target target) {
  typename Terms::Sum acc[(R + 1) / 2][2 * C] = {};
  for (int64_t t = 0; t < k; t += 2, b += 2 * b_stride) {
    Bits columns[2 * C];
    for (int j = 0; j < C; ++j) {
      const Bits first = load_bits(b + j * kLanes), second = load_bits(b + b_stride + j * kLanes);
      columns[2 * j] = vzip1q_s32(first, second);
      columns[2 * j + 1] = vzip2q_s32(first, second);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; r += 2) {
      const Bits x = two_rows(a, r, r + 1 < R ? r + 1 : r, t);
      for (int j = 0; j < 2 * C; ++j) acc[r / 2][j] = Terms::add(acc[r / 2][j], x, columns[j]);
    }
  }
  typename Terms::Sum rows[R][C];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < C; ++j) rows[r][j] = row_of_sums(acc[r / 2][2 * j], acc[r / 2][2 * j + 1], r % 2);
  write(rows, target);
}
#endif

}  // namespace
}  // namespace hexapla::cpu::ISA
