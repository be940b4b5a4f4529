#pragma once
// Rounds numbers to bf16 while packing rows and strips. A unit is a pair of terms, the earlier one
// in the lower half.
#include "backend/cpu/kernels/instructions.h"
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t kPairedTerms = 2 * kTermBlock;
constexpr int64_t kRowStride = kTermBlock + kLanes;  // not a power of two: rows must not share L1 cache sets

// Units per column of Packed: whole AMX tiles, in which a row is 16 pairs. Missing terms are zeros.
inline int64_t units_of(int64_t k) { return (k + 2 * kLanes - 1) / (2 * kLanes) * kLanes; }

typedef uint16_t Halves __attribute__((vector_size(VEC_BYTES)));
// (a0 b0) (a1 b1) ...
inline Vec pairs_across(Vec a, Vec b) {
  const Halves both = (Halves)pairs_along(a, b);
#ifdef HEXAPLA_NEON
  return (Vec)__builtin_shufflevector(both, both, 0, 4, 1, 5, 2, 6, 3, 7);
#else
  return (Vec)__builtin_shufflevector(both, both, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25,
                                      10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#endif
}

inline Vec load_up_to(const float* p, int64_t n) { return n >= kLanes ? load(p) : n > 0 ? load_part(p, n) : Vec{}; }
inline Vec pairs_from(const float* p, int64_t n) {
  return pairs_along(load_up_to(p, n), load_up_to(p + kLanes, n - kLanes));
}

// out[t][i] = (in[2t][i], in[2t + 1][i]); a missing last row is 0.
inline void pack_across(const float* in, int64_t in_stride, int64_t terms, int64_t width, float* out,
                        int64_t out_stride) {
  for (int64_t t = 0; t < terms; t += 2, in += 2 * in_stride, out += out_stride) {
    const bool two = t + 1 < terms;
    sweep(width,
          [&](int64_t i, auto at) { store(out + i, pairs_across(at(in + i), two ? at(in + in_stride + i) : Vec{})); });
  }
}

// out[i][t] = (in[i][2t], in[i][2t + 1])
inline void pack_along(const float* in, int64_t in_stride, int64_t rows, int64_t terms, float* out) {
  for (int64_t i = 0; i < rows; ++i, in += in_stride, out += kRowStride)
    for (int64_t t = 0; t < terms; t += 2 * kLanes) store(out + t / 2, pairs_from(in + t, terms - t));
}

// out[t][i] = (in[i][2t], in[i][2t + 1]) for one strip of rows i.
inline void pack_transposed_pairs(const float* in, int64_t in_stride, int64_t rows, int64_t terms, float* out) {
  for (int64_t j = 0; j < rows; j += kLanes, in += kLanes * in_stride, out += kLanes)
    for (int64_t t = 0; t < terms; t += 2 * kLanes) {
      Vec pairs[kLanes];
      for (int64_t i = 0; i < kLanes; ++i)
        pairs[i] = i < rows - j ? pairs_from(in + i * in_stride + t, terms - t) : Vec{};
      transpose(pairs);
      for (int64_t i = 0; i < kLanes; ++i) store(out + (t / 2 + i) * kStrip, pairs[i]);
    }
}

// units_of(terms) units of one strip of b.
inline void pack_b(const Product& p, int64_t from, int64_t t, int64_t terms, int64_t columns, float* out) {
  const float* b = p.b + t * p.b_k + from * p.b_n;
  if (p.b_n != 1) return pack_transposed_pairs(b, p.b_n, columns, terms, out);
  pack_across(b, p.b_k, terms, columns, out, kStrip);
  const int64_t filled = (terms + 1) / 2;
  std::memset(out + filled * kStrip, 0, sizeof(float) * (size_t)((units_of(terms) - filled) * kStrip));
}

// The strip of b from column `from` and term t on; packs it unless it is packed already.
inline Strip strip_of_pairs(const Product& p, int64_t from, int64_t t, int64_t terms, float* out) {
  if (p.packed.strips) return {p.packed.strips + from * units_of(p.k) + t / 2 * kStrip, kStrip};
  pack_b(p, from, t, terms, p.n - from < kStrip ? p.n - from : kStrip, out);
  return {out, kStrip};
}

// Reads b row by row if it is stored that way.
inline void pack_strips(const Product& p, const PackedMemory& out) {
  const int64_t units = units_of(p.k);
  if (p.b_n != 1) {
    for (int64_t j = 0; j < p.n; j += kStrip)
      pack_transposed_pairs(p.b + j * p.b_n, p.b_n, p.n - j < kStrip ? p.n - j : kStrip, p.k, out.strips + j * units);
    return;
  }
  for (int64_t t = 0; t < 2 * units; t += 2)
    for (int64_t j = 0; j < p.n; j += kStrip) {
      const int64_t terms = p.k - t < 0 ? 0 : p.k - t < 2 ? p.k - t : 2;
      float* unit = out.strips + j * units + t / 2 * kStrip;
      if (terms)
        pack_across(p.b + t * p.b_k + j, p.b_k, terms, p.n - j < kStrip ? p.n - j : kStrip, unit, kStrip);
      else
        std::memset(unit, 0, sizeof(float) * (size_t)kStrip);
    }
}

}  // namespace
}  // namespace hexapla::cpu::ISA
