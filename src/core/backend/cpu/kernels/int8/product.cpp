// Products of 8-bit integers, the same bits from every instruction set: see integers.h.
#include "backend/cpu/kernels/int8/integers.h"

namespace hexapla::cpu::ISA {
namespace {

#ifdef HEXAPLA_DOT_PRODUCTS
struct Bytes : NarrowUnits {
  typedef Bits Sum;
  __attribute__((always_inline)) static Bits add(Bits sum, Bits x, Bits row) { return add_quads(sum, x, row); }
};
#else
// VPMADDUBSW would multiply bytes, but its sums of 16 bits saturate. Widened to 16 bits, two products add up exactly.
struct Bytes : NarrowUnits {
  typedef Bits Sum;
  __attribute__((always_inline)) static Bits side_by_side(const float* b, int j) {
    const int8_t* bytes = (const int8_t*)b + j * (VEC_BYTES / 2);
#if VEC_BYTES == 64
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i*)bytes));
#elif VEC_BYTES == 32
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i*)bytes));
#else
    typedef int8_t Narrow __attribute__((vector_size(VEC_BYTES / 2)));
    typedef int16_t Wide __attribute__((vector_size(VEC_BYTES)));
    Narrow narrow;
    std::memcpy(&narrow, bytes, sizeof narrow);
    return (Bits) __builtin_convertvector(narrow, Wide);
#endif
  }
  __attribute__((always_inline)) static Bits add(Bits sum, Bits x, Bits row) {
#if VEC_BYTES >= 32  // GCC 12 spills the sums with intrinsics
    Bits products;
    asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(products) : "v"(x), "v"(row));
    return sum;
#elif defined(__SSE2__)
    return sum + (Bits)_mm_madd_epi16((__m128i)x, (__m128i)row);
#else
    const Int a = (Int)x, b = (Int)row;
    return (Bits)((Int)sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16));
#endif
  }
};
#endif

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
    tiles_of_strip<Bytes, Rows>(p, a, row, 1, {p.packed.strips + j * units, kUnitsOfRow}, (p.k + kTerms - 1) / kTerms,
                                scaled_target(p, j, scales));
  }
}

// Quantizes one column into its place in each unit of a strip.
inline void quantize_column(const float* b, int64_t step, int64_t k, int8_t* out, float& scale, int32_t& sum) {
  // Below this, the inverse would be infinite: the column counts as zeros.
  constexpr float smallest = 127 / __FLT_MAX__;
  const float most = magnitude(b, step, k), inverse = most > smallest ? 127 / most : 0.0f;
  scale = most > smallest ? most / 127 : 0.0f;
  sum = 0;
  for (int64_t t = 0; t < k; ++t) {
    const int32_t q = (int32_t)__builtin_rintf(b[t * step] * inverse);
    out[t / kTerms * kTerms * kStrip + t % kTerms] = (int8_t)q;
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
    int8_t* column = (int8_t*)(out.strips + j / kStrip * kStrip * units_of(p.k)) + j % kStrip * kTerms;
    quantize_column(p.b + j * p.b_n, p.b_k, p.k, column, out.scales[j], out.sums[j]);
  }
}

int64_t limit(int64_t rounds) {
  float c[kTileRows * kStrip], scales[kStrip] = {};
  const int32_t sums[kStrip] = {};
  return limit_of<Bytes>(rounds, kTerms, ScaledTarget{c, kStrip, kStrip, nullptr, scales, scales, sums});
}

int64_t scratch(int64_t m, int64_t k) { return m * row_of(k) + m + kLanes; }

// Interleaves the rows of a unit's terms over a strip's columns.
inline void interleave(const int8_t* rows, int64_t step, int8_t* __restrict units, int32_t* __restrict sums) {
  for (int64_t j = 0; j < kStrip; ++j)
    for (int64_t t = 0; t < kTerms; ++t) {
      const int8_t q = rows[t * step + j];
      units[kTerms * j + t] = q;
      sums[j] += q;
    }
}
// The same for any strides, fewer rows, and any number of the strip's columns.
inline void place(const int8_t* from, const Integers& b, int64_t depth, int64_t width, int8_t* __restrict units,
                  int32_t* __restrict sums) {
  for (int64_t j = 0; j < width; ++j)
    for (int64_t t = 0; t < depth; ++t) {
      const int8_t q = from[t * b.b_k + j * b.b_n];
      units[kTerms * j + t] = q;
      sums[j] += q;
    }
}

void pack_integers(const Integers& b, const PackedMemory& out) {
  const int64_t columns = (b.n + kStrip - 1) / kStrip * kStrip, units = units_of(b.k);
  std::memset(out.strips, 0, (size_t)(columns * units * 4));
  for (int64_t first = 0; first < columns; first += kStrip) {
    const int64_t width = b.n - first < kStrip ? b.n - first : kStrip;
    const int8_t* from = b.b + first * b.b_n;
    int8_t* to = (int8_t*)(out.strips + first * units);
    int32_t sums[kStrip] = {};
    for (int64_t t = 0; t < b.k; t += kTerms, from += kTerms * b.b_k, to += kTerms * kStrip) {
      const int64_t depth = b.k - t < kTerms ? b.k - t : kTerms;
      if (depth == kTerms && width == kStrip && b.b_n == 1)
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

}  // namespace

const ProductKernel kInt8Product = {kTileRows, kStrip, run, units_of, pack, scratch, limit, pack_integers};

}  // namespace hexapla::cpu::ISA
