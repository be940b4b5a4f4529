// Products in bf16, and attention on top of them, for processors with AMX. The bits of an element
// depend only on its number of terms: even and odd terms of each 32 are summed separately.
#include "backend/cpu/kernels/amx/tiles.h"
#include "backend/cpu/kernels/attention.h"
#include "backend/cpu/kernels/bf16/pairs.h"

namespace hexapla::cpu::ISA {
namespace {

struct Pairs {
  template <int C, int A, int B>
  __attribute__((always_inline)) static void multiply() {
    add_tiles_of_pairs<C, A, B>();
  }
};

// out[i][t] = (in[2t][i], in[2t + 1][i]); reads along the rows of in, which may be a page apart.
inline void pack_transposed_rows(const float* in, int64_t in_stride, int64_t rows, int64_t terms, float* out) {
  for (int64_t t = 0; t < terms; t += 2 * kLanes)
    for (int64_t i = 0; i < rows; i += kLanes) {
      const auto row = [&](int64_t u) {
        return t + u < terms ? load_up_to(in + (t + u) * in_stride + i, rows - i) : Vec{};
      };
      Vec pairs[kLanes];
      for (int64_t u = 0; u < kLanes; ++u) pairs[u] = pairs_across(row(2 * u), row(2 * u + 1));
      transpose(pairs);
      for (int64_t r = 0; r < kLanes; ++r) store(out + (i + r) * kRowStride + t / 2, pairs[r]);
    }
}

// For whole tiles: the sums start from the values to add to and are stored directly.
template <int R>
void whole_block(const float* a, Strip b, int64_t steps, const TileTarget& t) {
  if (t.store == Store::add)
    load_sums<R>(t.c, t.stride);
  else if (t.bias)
    load_sums<R>(t.bias, 0);
  else
    clear_sums<R>();
  add_products<Pairs, R>(a, kRowStride, b, steps);
  store_sums<R>(t.c, t.stride);
}

// For rows x t.columns of a block that extends beyond c.
void part_of_block(const float* a, Strip b, int64_t steps, const TileTarget& t, int64_t rows) {
  alignas(64) float sums[kTall * kStrip];
  const auto each_row = [&](auto body) {
    for (int64_t r = 0; r < rows; ++r)
      sweep(t.columns, [&](int64_t j, auto at) { body(sums + r * kStrip + j, t.c + r * t.stride + j, j, at); });
  };
  const bool begins_empty = t.store == Store::set && !t.bias;
  if (t.store == Store::add)
    each_row([](float* sum, const float* c, int64_t, auto at) { store(sum, at(c)); });
  else if (t.bias)
    each_row([&](float* sum, const float*, int64_t j, auto at) { store(sum, at(t.bias + j)); });
  const TileTarget here{sums, kStrip, kStrip, nullptr, begins_empty ? Store::set : Store::add};
  rows > kBlock ? whole_block<2>(a, b, steps, here) : whole_block<1>(a, b, steps, here);
  each_row([](const float* sum, float* c, int64_t, auto at) { at(c, load(sum)); });
}

inline void column_of_blocks(const Product& p, const float* a, Strip b, int64_t steps, const TileTarget& whole) {
  for (int64_t i = 0; i < p.m; i += kTall, a += kTall * kRowStride) {
    const TileTarget target = whole.from_row(i);
    const int64_t rows = p.m - i < kTall ? p.m - i : kTall;
    if (target.columns == kStrip && rows == kTall)
      whole_block<2>(a, b, steps, target);
    else
      part_of_block(a, b, steps, target, rows);
  }
}

// The caller holds a Tiles.
void run_on_tiles(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return product_of_nothing(p);
  float *const b = scratch, *const a = scratch + kTermBlock * kMaxStrip;
  for (int64_t t = 0; t < p.k; t += kPairedTerms) {
    const int64_t terms = p.k - t < kPairedTerms ? p.k - t : kPairedTerms;
    if (p.a_k == 1)
      pack_along(p.a + t, p.a_row, p.m, terms, a);
    else
      pack_transposed_rows(p.a + t * p.a_k, p.a_k, p.m, terms, a);
    for (int64_t j = 0; j < p.n; j += kStrip) {
      const int64_t columns = p.n - j < kStrip ? p.n - j : kStrip;
      const TileTarget target{p.c + j, p.c_stride, columns, p.bias ? p.bias + j : nullptr, t ? Store::add : p.store};
      column_of_blocks(p, a, strip_of_pairs(p, j, t, terms, b), units_of(terms) / kBlock, target);
    }
  }
}

void run(const Product& p, float* scratch) {
  const Tiles tiles;
  run_on_tiles(p, scratch);
}

int64_t limit(int64_t rounds) { return limit_of<Pairs>(rounds, 2); }

int64_t scratch(int64_t m, int64_t) { return product_scratch(m); }

struct Products {
  static void run(const Product& p, float* scratch) { run_on_tiles(p, scratch); }
};
using Dot = DotScore<Products>;

}  // namespace

// Measured: a head of 32 does not repay the packing, a head of 64 does.
static constexpr int64_t kWorthTiles = 64;
static bool is_narrow(const Attention& a) { return a.d_k < kWorthTiles || a.d_v < kWorthTiles; }

void attention(const Attention& a) {
  if (is_narrow(a)) return avx512::kKernels.attention(a);
  const Tiles tiles;
  forward<Dot, Products>(a);
}
void attention_backward(const Attention& a, const AttentionBackward& g) {
  if (is_narrow(a)) return avx512::kKernels.attention_backward(a, g);
  const Tiles tiles;
  backward<Dot, Products>(a, g);
}

const ProductKernel kProduct = {kTall, kStrip, run, units_of, pack_strips, scratch, limit};

}  // namespace hexapla::cpu::ISA
