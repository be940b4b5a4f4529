// Products whose factors are rounded to bf16 on the way in; sums stay f32. For processors with AVX512_BF16. A block of
// a sum has 2 * k_block terms: pairs, which one instruction multiplies and adds up, the earlier term in the lower half.
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t term_block = 2 * k_block;
constexpr int64_t a_stride = k_block + N;  // not a power of two: rows must not share the sets of the first cache

struct Pairs : NarrowUnits {
  typedef Vec Sum;
  __attribute__((always_inline)) static Vec add(Vec sum, __m512i x, __m512i row) {
    return (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)row);
  }
};

// (a0 a1) (a2 a3) ... (b0 b1) ...
inline Vec pairs_along(Vec a, Vec b) { return (Vec)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a); }

typedef uint16_t Words __attribute__((vector_size(VEC_BYTES)));
// (a0 b0) (a1 b1) ...
inline Vec pairs_across(Vec a, Vec b) {
  const Words both = (Words)pairs_along(a, b);
  return (Vec)__builtin_shufflevector(both, both, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25,
                                      10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

inline Vec load_up_to(const float* p, int64_t n) { return n >= N ? load(p) : n > 0 ? load_part(p, n) : Vec{}; }
inline Vec pairs_from(const float* p, int64_t n) { return pairs_along(load_up_to(p, n), load_up_to(p + N, n - N)); }

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
  for (int64_t i = 0; i < rows; ++i, in += in_stride, out += a_stride)
    for (int64_t t = 0; t < terms; t += 2 * N) store(out + t / 2, pairs_from(in + t, terms - t));
}

// out[t][i] = (in[i][2t], in[i][2t + 1]) for one strip of rows i.
inline void pack_turned_pairs(const float* in, int64_t in_stride, int64_t rows, int64_t terms, float* out) {
  for (int64_t j = 0; j < rows; j += N, in += N * in_stride, out += N)
    for (int64_t t = 0; t < terms; t += 2 * N) {
      Vec block[N];
      for (int64_t i = 0; i < N; ++i) block[i] = i < rows - j ? pairs_from(in + i * in_stride + t, terms - t) : Vec{};
      transpose(block);
      const int64_t left = (terms - t + 1) / 2;
      for (int64_t i = 0; i < N && i < left; ++i) store(out + (t / 2 + i) * strip, block[i]);
    }
}

inline void pack_b(const Product& p, int64_t from, int64_t t, int64_t terms, int64_t columns, float* out) {
  const float* b = p.b + t * p.b_k + from * p.b_n;
  if (p.b_n == 1)
    pack_across(b, p.b_k, terms, columns, out, strip);
  else
    pack_turned_pairs(b, p.b_n, columns, terms, out);
}

inline Strip strip_of_pairs(const Product& p, int64_t from, int64_t t, int64_t terms, int64_t columns, float* out) {
  if (p.packed.strips) return {p.packed.strips + from * ((p.k + 1) / 2) + t / 2 * strip, strip};
  pack_b(p, from, t, terms, columns, out);
  return {out, strip};
}

void run(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return product_of_nothing(p);
  float *const b = scratch, *const a = scratch + k_block * max_strip;
  const int64_t across = (p.m + N - 1) / N * N;
  for (int64_t t = 0; t < p.k; t += term_block) {
    const int64_t terms = p.k - t < term_block ? p.k - t : term_block, pairs = (terms + 1) / 2;
    if (p.a_k == 1)
      pack_along(p.a + t, p.a_row, p.m, terms, a);
    else
      pack_across(p.a + t * p.a_k, p.a_k, terms, p.m, a, across);
    for (int64_t j = 0; j < p.n; j += strip) {
      const int64_t columns = p.n - j < strip ? p.n - j : strip;
      const TileTarget target{p.c + j, p.c_stride, columns, p.bias ? p.bias + j : nullptr, t ? Store::add : p.store};
      const Strip packed = strip_of_pairs(p, j, t, terms, columns, b);
      if (p.a_k == 1)
        tiles_of_strip<Pairs, Rows>(p, a, a_stride, 1, packed, pairs, target);
      else
        tiles_of_strip<Pairs, Columns>(p, a, 1, across, packed, pairs, target);
    }
  }
}

void pack(const Product& p, const PackedMemory& out) {
  for (int64_t from = 0; from < p.n; from += strip)
    pack_b(p, from, 0, p.k, p.n - from < strip ? p.n - from : strip, out.strips + from * ((p.k + 1) / 2));
}

int64_t limit(int64_t rounds) {
  float c[tile_rows * strip];
  return limit_of<Pairs>(rounds, 2, TileTarget{c, strip, strip, nullptr, Store::set});
}

int64_t scratch(int64_t m, int64_t) { return product_scratch(m); }

}  // namespace

const ProductKernel product = {2, run, pack, scratch, limit};

}  // namespace hexapla::cpu::ISA
