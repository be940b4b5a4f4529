// Products with factors rounded to bf16 and sums in f32, for processors with AVX512_BF16 or
// Arm's BF16: one instruction multiplies pairs of terms and adds them up.
#include "backend/cpu/kernels/bf16/pairs.h"

namespace hexapla::cpu::ISA {
namespace {

struct Pairs : NarrowUnits {
  typedef Vec Sum;
  __attribute__((always_inline)) static Vec add(Vec sum, Bits x, Bits row) { return add_pairs(sum, x, row); }
};

void run(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return product_of_nothing(p);
  float *const b = scratch, *const a = scratch + kTermBlock * kMaxStrip;
  const int64_t across = (p.m + kLanes - 1) / kLanes * kLanes;
  for (int64_t t = 0; t < p.k; t += kPairedTerms) {
    const int64_t terms = p.k - t < kPairedTerms ? p.k - t : kPairedTerms, pairs = (terms + 1) / 2;
    if (p.a_k == 1)
      pack_along(p.a + t, p.a_row, p.m, terms, a);
    else
      pack_across(p.a + t * p.a_k, p.a_k, terms, p.m, a, across);
    for (int64_t j = 0; j < p.n; j += kStrip) {
      const int64_t columns = p.n - j < kStrip ? p.n - j : kStrip;
      const TileTarget target{p.c + j, p.c_stride, columns, p.bias ? p.bias + j : nullptr, t ? Store::add : p.store};
      const Strip packed = strip_of_pairs(p, j, t, terms, b);
      if (p.a_k == 1)
        tiles_of_strip<Pairs, Rows>(p, a, kRowStride, 1, packed, pairs, target);
      else
        tiles_of_strip<Pairs, Columns>(p, a, 1, across, packed, pairs, target);
    }
  }
}

int64_t limit(int64_t rounds) {
  float c[kTileRows * kStrip];
  return limit_of<Pairs>(rounds, 2, TileTarget{c, kStrip, kStrip, nullptr, Store::set});
}

int64_t scratch(int64_t m, int64_t) { return product_scratch(m); }

}  // namespace

const ProductKernel kProduct = {kTileRows, kStrip, run, units_of, pack_strips, scratch, limit};

}  // namespace hexapla::cpu::ISA
