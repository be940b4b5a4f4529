// Products of 8-bit integers for processors with AMX: bit-identical to those without AMX, since
// integer sums are exact.
#include "backend/cpu/kernels/amx/tiles.h"
#include "backend/cpu/kernels/int8/integers.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t kFewRows = 4;  // up to here the vector units are as fast, and they do not compute unused rows

struct Quads {
  template <int C, int A, int B>
  __attribute__((always_inline)) static void multiply() {
    add_tiles_of_quads<C, A, B>();
  }
};

template <class At>
__attribute__((always_inline)) inline void write_column(const int32_t* sums, int64_t rows, int j, const ScaledTarget& t,
                                                        At at) {
  const ScaledTarget::Column column = t.column(j, at);
  for (int64_t r = 0; r < rows; ++r)
    at(t.c + r * t.stride + j * kLanes,
       column.number(_mm512_load_si512(sums + r * kStrip + j * kLanes), t.row_scales[r]));
}

template <int R>
void run_block(const float* a, int64_t a_row, Strip b, int64_t steps, int64_t rows, const ScaledTarget& t) {
  alignas(64) int32_t sums[kTall * kStrip];
  clear_sums<R>();
  add_products<Quads, R>(a, a_row, b, steps);
  store_sums<R>(sums, kStrip);
  for (int j = 0; j < 2; ++j) {
    const int64_t left = t.columns - j * kLanes;
    if (left >= kLanes)
      write_column(sums, rows, j, t, Whole{});
    else if (left > 0)
      write_column(sums, rows, j, t, Part{left});
  }
}

void run(const Product& p, float* scratch) {
  if (p.m <= kFewRows) return avx512vnni::kInt8Product.run(p, scratch);
  if (p.n == 0) return;
  const int64_t units = units_of(p.k), row = row_of(p.k);
  float *const scales = scratch, *const a = scratch + (p.m + kLanes - 1) / kLanes * kLanes;
  for (int64_t i = 0; i < p.m; ++i) scales[i] = quantize_row(p.a + i * p.a_row, p.k, a + i * row);
  const Tiles tiles;
  for (int64_t j = 0; j < p.n; j += kStrip) {
    const ScaledTarget whole = scaled_target(p, j, scales);
    const Strip b{p.packed.strips + j * units, kStrip};
    for (int64_t i = 0; i < p.m; i += kTall) {
      const int64_t rows = p.m - i < kTall ? p.m - i : kTall;
      const ScaledTarget target = whole.from_row(i);
      if (rows > kBlock)
        run_block<2>(a + i * row, row, b, units / kBlock, rows, target);
      else
        run_block<1>(a + i * row, row, b, units / kBlock, rows, target);
    }
  }
}

void pack(const Product& p, const PackedMemory& out) { avx512vnni::kInt8Product.pack(p, out); }
void pack_integers(const Integers& b, const PackedMemory& out) { avx512vnni::kInt8Product.pack_integers(b, out); }

int64_t limit(int64_t rounds) { return limit_of<Quads>(rounds, 4); }

int64_t scratch(int64_t m, int64_t k) { return (m + kTall) * row_of(k) + m + kLanes; }

}  // namespace

const ProductKernel kInt8Product = {kTall, kStrip, run, units_of, pack, scratch, limit, pack_integers};

}  // namespace hexapla::cpu::ISA
