// Products of 8-bit integers for processors with AVX512_VNNI, or with Arm's dot products or I8MM: see quads.h.
#include "backend/cpu/kernels/instructions.h"
#include "backend/cpu/kernels/int8/quads.h"

namespace hexapla::cpu::ISA {
namespace {

struct Quads : NarrowUnits {
  typedef Bits Sum;
  __attribute__((always_inline)) static Bits add(Bits sum, Bits x, Bits row) { return add_quads(sum, x, row); }
};

template <int R, int C, class At>
inline __attribute__((always_inline)) void write_column(Bits (&acc)[R][C], const int j, const ScaledTarget& t, At at) {
  const ScaledTarget::Column column = t.column(j, at);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) at(t.c + r * t.stride + j * kLanes, column.number(acc[r][j], t.row_scales[r]));
}

void run(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  const int64_t units = units_of(p.k), row = row_of(p.k);
  float *const scales = scratch, *const a = scratch + (p.m + kLanes - 1) / kLanes * kLanes;
  for (int64_t i = 0; i < p.m; ++i) scales[i] = quantize_row(p.a + i * p.a_row, p.k, a + i * row);
  for (int64_t j = 0; j < p.n; j += kStrip) {
    tiles_of_strip<Quads, Rows>(p, a, row, 1, {p.packed.strips + j * units, kStrip}, (p.k + 3) / 4,
                                scaled_target(p, j, scales));
  }
}

// Quantizes one column into its place in each quad of a strip.
inline void quantize_column(const float* b, int64_t step, int64_t k, int8_t* out, float& scale, int32_t& sum) {
  // Below this, the inverse would be infinite: the column counts as zeros.
  constexpr float smallest = 127 / __FLT_MAX__;
  const float most = magnitude(b, step, k), inverse = most > smallest ? 127 / most : 0.0f;
  scale = most > smallest ? most / 127 : 0.0f;
  sum = 0;
  for (int64_t t = 0; t < k; ++t) {
    const int32_t q = (int32_t)__builtin_rintf(b[t * step] * inverse);
    out[t / 4 * 4 * kStrip + t % 4] = (int8_t)q;
    sum += kShift * q;
  }
}

void pack(const Product& p, const PackedMemory& out) {
  const int64_t strips = (p.n + kStrip - 1) / kStrip, bytes = strips * kStrip * units_of(p.k) * 4;
  std::memset(out.strips, 0, (size_t)bytes);
  for (int64_t j = 0; j < strips * kStrip; ++j) {
    out.scales[j] = 0;
    out.sums[j] = 0;
    if (j >= p.n) continue;
    int8_t* column = (int8_t*)(out.strips + j / kStrip * kStrip * units_of(p.k)) + j % kStrip * 4;
    quantize_column(p.b + j * p.b_n, p.b_k, p.k, column, out.scales[j], out.sums[j]);
  }
}

int64_t limit(int64_t rounds) {
  float c[kTileRows * kStrip], scales[kStrip] = {};
  const int32_t sums[kStrip] = {};
  return limit_of<Quads>(rounds, 4, ScaledTarget{c, kStrip, kStrip, nullptr, scales, scales, sums});
}

int64_t scratch(int64_t m, int64_t k) { return m * row_of(k) + m + kLanes; }

// Interleaves four rows of a strip's columns into quads.
inline void interleave(const int8_t* rows, int64_t step, int8_t* __restrict quads, int32_t* __restrict sums) {
  const int8_t *a = rows, *b = rows + step, *c = rows + 2 * step, *d = rows + 3 * step;
  for (int64_t j = 0; j < kStrip; ++j) {
    quads[4 * j] = a[j];
    quads[4 * j + 1] = b[j];
    quads[4 * j + 2] = c[j];
    quads[4 * j + 3] = d[j];
    sums[j] += a[j] + b[j] + c[j] + d[j];
  }
}
// The same for any strides, up to four rows, and any number of the strip's columns.
inline void place(const int8_t* from, const Integers& b, int64_t depth, int64_t width, int8_t* __restrict quads,
                  int32_t* __restrict sums) {
  for (int64_t j = 0; j < width; ++j)
    for (int64_t t = 0; t < depth; ++t) {
      const int8_t q = from[t * b.b_k + j * b.b_n];
      quads[4 * j + t] = q;
      sums[j] += q;
    }
}

}  // namespace

void pack_integers(const Integers& b, const PackedMemory& out) {
  const int64_t columns = (b.n + kStrip - 1) / kStrip * kStrip, quads = units_of(b.k);
  std::memset(out.strips, 0, (size_t)(columns * quads * 4));
  for (int64_t first = 0; first < columns; first += kStrip) {
    const int64_t width = b.n - first < kStrip ? b.n - first : kStrip;
    const int8_t* from = b.b + first * b.b_n;
    int8_t* to = (int8_t*)(out.strips + first * quads);
    int32_t sums[kStrip] = {};
    for (int64_t t = 0; t < b.k; t += 4, from += 4 * b.b_k, to += 4 * kStrip) {
      const int64_t depth = b.k - t < 4 ? b.k - t : 4;
      if (depth == 4 && width == kStrip && b.b_n == 1)
        interleave(from, b.b_k, to, sums);
      else
        place(from, b, depth, width, to, sums);
    }
    for (int64_t j = 0; j < kStrip; ++j) {
      out.scales[first + j] = j < width ? b.scales[first + j] : 0;
      out.sums[first + j] = kShift * sums[j];
    }
  }
}

const ProductKernel kProduct = {kTileRows, kStrip, run, units_of, pack, scratch, limit};

}  // namespace hexapla::cpu::ISA
