// Products in 8-bit integers, for processors with AVX512_VNNI: a weight's columns have a scale each, so has every row
// of a. The instruction takes unsigned bytes by signed ones: a's integers are moved up by 128, and 128 times the sum of
// the column is taken off at the end.
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

struct Quads : NarrowUnits {
  typedef __m512i Sum;
  __attribute__((always_inline)) static __m512i add(__m512i sum, __m512i x, __m512i row) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(row));  // GCC 12 copies the sums around its intrinsic
    return sum;
  }
};

// c = (sums of integers - column sums) * row scale * column scale + bias.
struct ScaledTarget {
  float* c;
  int64_t stride, columns;
  const float *bias, *row_scales, *scales;  // scales and sums: whole strips
  const int32_t* sums;
  ScaledTarget from_row(int64_t i) const {
    return {c + i * stride, stride, columns, bias, row_scales + i, scales, sums};
  }
};

template <int R, int C, class At>
inline __attribute__((always_inline)) void write_column(__m512i (&acc)[R][C], const int j, const ScaledTarget& t,
                                                        At at) {
  const Vec scale = load(t.scales + j * N), bias = t.bias ? at(t.bias + j * N) : Vec{};
  Int sums;
  std::memcpy(&sums, t.sums + j * N, sizeof sums);
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r)
    at(t.c + r * t.stride + j * N,
       (Vec)_mm512_cvtepi32_ps((__m512i)((Int)acc[r][j] - sums)) * (t.row_scales[r] * scale) + bias);
}

inline int64_t quads_of(int64_t k) { return (k + 3) / 4; }
// Rows of quads: whole vectors of terms, and not a power of two apart.
inline int64_t row_of(int64_t k) { return (k + N - 1) / N * (N / 4) + N; }

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

// -> what the row's integers must be multiplied by
inline float quantise_row(const float* x, int64_t n, float* out) {
  const float most = magnitude(x, 1, n);
  const Vec inverse = all(most > 0 ? 127 / most : 0.0f);
  sweep(n, [&](int64_t i, auto at) {
    const Int v = (Int)_mm512_cvtps_epi32((__m512)(at(x + i) * inverse)) + 128;
    _mm_storeu_si128((__m128i*)((uint8_t*)out + i), _mm512_cvtepi32_epi8((__m512i)v));
  });
  return most / 127;
}

void run(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  const int64_t quads = quads_of(p.k), row = row_of(p.k);
  float *const scales = scratch, *const a = scratch + (p.m + N - 1) / N * N;
  for (int64_t i = 0; i < p.m; ++i) scales[i] = quantise_row(p.a + i * p.a_row, p.k, a + i * row);
  for (int64_t j = 0; j < p.n; j += strip) {
    const ScaledTarget target{p.c + j,
                              p.c_stride,
                              p.n - j < strip ? p.n - j : strip,
                              p.bias ? p.bias + j : nullptr,
                              scales,
                              p.packed.scales + j,
                              p.packed.sums + j};
    tiles_of_strip<Quads, Rows>(p, a, row, 1, {p.packed.strips + j * quads, strip}, quads, target);
  }
}

// One column into its place in every quad of a strip.
inline void quantise_column(const float* b, int64_t step, int64_t k, int8_t* out, float& scale, int32_t& sum) {
  const float most = magnitude(b, step, k), inverse = most > 0 ? 127 / most : 0.0f;
  scale = most / 127;
  sum = 0;
  for (int64_t t = 0; t < k; ++t) {
    const int32_t q = (int32_t)__builtin_rintf(b[t * step] * inverse);
    out[t / 4 * 4 * strip + t % 4] = (int8_t)q;
    sum += 128 * q;
  }
}

void pack(const Product& p, const PackedMemory& out) {
  const int64_t strips = (p.n + strip - 1) / strip, bytes = strips * strip * quads_of(p.k) * 4;
  std::memset(out.strips, 0, (size_t)bytes);
  for (int64_t j = 0; j < strips * strip; ++j) {
    out.scales[j] = 0;
    out.sums[j] = 0;
    if (j >= p.n) continue;
    int8_t* column = (int8_t*)(out.strips + j / strip * strip * quads_of(p.k)) + j % strip * 4;
    quantise_column(p.b + j * p.b_n, p.b_k, p.k, column, out.scales[j], out.sums[j]);
  }
}

int64_t limit(int64_t rounds) {
  float c[tile_rows * strip], scales[strip] = {};
  const int32_t sums[strip] = {};
  return limit_of<Quads>(rounds, 4, ScaledTarget{c, strip, strip, nullptr, scales, scales, sums});
}

int64_t scratch(int64_t m, int64_t k) { return m * row_of(k) + m + N; }

}  // namespace

void pack_integers(const Integers& b, const PackedMemory& out) {
  const int64_t columns = (b.n + strip - 1) / strip * strip, quads = quads_of(b.k);
  std::memset(out.strips, 0, (size_t)(columns * quads * 4));
  for (int64_t j = 0; j < columns; ++j) {
    out.scales[j] = j < b.n ? b.scales[j] : 0;
    out.sums[j] = 0;
    if (j >= b.n) continue;
    int8_t* column = (int8_t*)(out.strips + j / strip * strip * quads) + j % strip * 4;
    for (int64_t t = 0; t < b.k; ++t) {
      const int8_t q = b.b[t * b.b_k + j * b.b_n];
      column[t / 4 * 4 * strip + t % 4] = q;
      out.sums[j] += 128 * q;
    }
  }
}

const ProductKernel product = {4, run, pack, scratch, limit};

}  // namespace hexapla::cpu::ISA
