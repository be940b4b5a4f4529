#pragma once
// Matrix products: register tiles of kTileRows x (2 vectors), see Product in kernels.h. Terms
// defines what a unit of a sum is and how it is added: here one f32 number, in bf16/product.cpp a
// pair of bf16 numbers of the same size.
#include "backend/cpu/kernels/vec.h"

namespace hexapla::cpu::ISA {
namespace {

#if VEC_BYTES == 64
constexpr int kTileRows = 14;
#elif VEC_BYTES == 32
constexpr int kTileRows = 6;
#elif defined(HEXAPLA_NEON)
constexpr int kTileRows = 12;
#else
constexpr int kTileRows = 4;
#endif
constexpr int64_t kStrip = 2 * kLanes;

// Access to a by strided rows: four base pointers, so that every address is base + small multiple.
struct Rows {
  static constexpr int64_t kFixedStep = 1;
  const float* base[4];
  int64_t stride;
  Rows(const float* a, int64_t row, int64_t, int rows) : stride(row) {
    for (int i = 0; i < 4; ++i) base[i] = a + (4 * i < rows ? 4 * i : 0) * row;
  }
  const float* at(int r, int64_t t) const { return base[r / 4] + (r % 4) * stride + t; }
  void fetch_next_tile(int64_t, int) const {}
};
// Access to a by columns: the rows of the tile are contiguous.
struct Columns {
  const float* a;
  int64_t step;
  Columns(const float* p, int64_t, int64_t k, int) : a(p), step(k) {}
  const float* at(int r, int64_t t) const { return a + t * step + r; }
  // The next tile's units are beside this tile's, a stride apart: too far for the hardware
  // prefetcher.
  void fetch_next_tile(int64_t t, int rows) const { __builtin_prefetch(at(rows, t) + 16); }
};

// Units of a are broadcast to a vector; units of b are contiguous in one. The types are those of
// the instructions, because GCC would move registers at every change of type.
struct Singles {
  typedef Vec Sum;
  typedef Vec Units;
  __attribute__((always_inline)) static Vec spread(const float* x) { return all(*x); }
  __attribute__((always_inline)) static Vec side_by_side(const float* b, int j) { return load(b + j * kLanes); }
  __attribute__((always_inline)) static Vec add(Vec sum, Vec x, Vec row) { return sum + x * row; }
};

#if VEC_BYTES == 64
typedef __m512i Bits;
inline Bits all_bits(int32_t x) { return _mm512_set1_epi32(x); }
inline Bits load_bits(const void* p) { return _mm512_loadu_si512(p); }
#elif VEC_BYTES == 32
typedef __m256i Bits;
inline Bits all_bits(int32_t x) { return _mm256_set1_epi32(x); }
inline Bits load_bits(const void* p) { return _mm256_loadu_si256((const __m256i*)p); }
#elif defined(HEXAPLA_NEON)
typedef int32x4_t Bits;
inline Bits all_bits(int32_t x) { return vdupq_n_s32(x); }
inline Bits load_bits(const void* p) { return vld1q_s32((const int32_t*)p); }
#else
typedef Int Bits;
inline Bits all_bits(int32_t x) { return x - Bits{}; }
inline Bits load_bits(const void* p) {
  Bits v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
#endif
// Several narrow terms in 32 bits.
struct NarrowUnits {
  typedef Bits Units;
  __attribute__((always_inline)) static Bits spread(const float* x) {
    int32_t unit;
    std::memcpy(&unit, x, sizeof unit);
    return all_bits(unit);
  }
  __attribute__((always_inline)) static Bits side_by_side(const float* b, int j) { return load_bits(b + j * kLanes); }
};

struct TileTarget {
  float* c;
  int64_t stride, columns;  // columns: at most C * kLanes
  const float* bias;        // bias of this tile's columns, or null
  Store store;
  TileTarget from_row(int64_t i) const { return {c + i * stride, stride, columns, bias, store}; }
};

// Writes one column of vectors of the tile. Must be inlined completely, because the tile is in
// registers.
template <int R, int C, class At>
inline __attribute__((always_inline)) void write_column(Vec (&acc)[R][C], const int j, const TileTarget& t, At at) {
  float* const c = t.c + j * kLanes;
  const int64_t stride = t.stride;
  if (t.store == Store::add) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) at(c + r * stride, at(c + r * stride) + acc[r][j]);
    return;
  }
  const Vec bias = t.bias ? at(t.bias + j * kLanes) : Vec{};
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) at(c + r * stride, bias + acc[r][j]);
}

template <int R, int C, class Sum, class Target>
inline __attribute__((always_inline)) void write(Sum (&acc)[R][C], const Target& t) {
#pragma GCC unroll 2
  for (int j = 0; j < C; ++j) {
    const int64_t left = t.columns - j * kLanes;
    if (left >= kLanes)
      write_column<R, C>(acc, j, t, Whole{});
    else if (left > 0)
      write_column<R, C>(acc, j, t, Part{left});
  }
}

template <class Terms, int R, int C, class A, class Target>
__attribute__((noinline)) void tile(A a, const float* b, int64_t b_stride, int64_t k, Target target) {
  for (int r = 0; r < R; ++r)  // prefetch the result, which is often far away
    for (int j = 0; j < C; ++j) __builtin_prefetch(target.c + r * target.stride + j * kLanes, 1);
  typename Terms::Sum acc[R][C];
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < C; ++j) acc[r][j] = typename Terms::Sum{};
  for (int64_t t = 0; t < k; ++t, b += b_stride) {
    typename Terms::Units row[C];
    for (int j = 0; j < C; ++j) row[j] = Terms::side_by_side(b, j);
    a.fetch_next_tile(t, R);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const typename Terms::Units x = Terms::spread(a.at(r, t));
      for (int j = 0; j < C; ++j) acc[r][j] = Terms::add(acc[r][j], x, row[j]);
    }
  }
  write(acc, target);
}

template <class Terms, int R, int C, class A, class Target>
inline void tile_of(int rows, const A& a, const float* b, int64_t b_stride, int64_t k, const Target& target) {
  if (rows == R) return tile<Terms, R, C>(a, b, b_stride, k, target);
  if constexpr (R > 1) tile_of<Terms, R - 1, C>(rows, a, b, b_stride, k, target);
}

// Packs k rows of a strip, padded with zero columns; b_n = 1.
inline void pack_rows(const float* b, int64_t b_k, int64_t k, int64_t columns, float* out) {
  for (int64_t t = 0; t < k; ++t, b += b_k, out += kStrip)
    for (int64_t j = 0; j < 2; ++j) {
      const int64_t left = columns - j * kLanes;
      store(out + j * kLanes, left >= kLanes ? load(b + j * kLanes)
                              : left > 0     ? load_part(b + j * kLanes, left)
                                             : Vec{});
    }
}

// out[t * out_stride + i] = in[i * in_stride + t] for one block of at most kLanes rows i and k terms t;
// missing rows are 0.
inline void turn(const float* in, int64_t in_stride, int64_t rows, int64_t k, float* out, int64_t out_stride) {
  Vec block[kLanes];
  for (int64_t t = 0; t < k; t += kLanes) {
    const int64_t left = k - t < kLanes ? k - t : kLanes;
    for (int64_t i = 0; i < kLanes; ++i)
      block[i] = i >= rows        ? Vec{}
                 : left == kLanes ? load(in + i * in_stride + t)
                                  : load_part(in + i * in_stride + t, left);
    transpose(block);
    for (int64_t i = 0; i < left; ++i) store(out + (t + i) * out_stride, block[i]);
  }
}

// The same for a transposed b, b_k = 1.
inline void pack_transposed(const float* b, int64_t b_n, int64_t k, int64_t columns, float* out) {
  for (int64_t j = 0; j < kStrip; j += kLanes) {
    const int64_t rows = columns - j < 0 ? 0 : columns - j;
    turn(b + (rows > 0 ? j : 0) * b_n, b_n, rows, k, out + j, kStrip);
  }
}

struct Strip {
  const float* b;
  int64_t stride;
};

// Rows per tile, so that m rows are split as evenly as possible.
inline int64_t even_rows(int64_t m) {
  const int64_t tiles = (m + kTileRows - 1) / kTileRows;
  return (m + tiles - 1) / tiles;
}

template <class Terms, class A, class Target>
inline void tiles_of_strip(const Product& p, const float* a, int64_t a_row, int64_t a_k, Strip b, int64_t k,
                           const Target& whole) {
  const int64_t rows = even_rows(p.m);
  for (int64_t i = 0; i < p.m; i += rows) {
    const int here = (int)(p.m - i < rows ? p.m - i : rows);
    const Target target = whole.from_row(i);
    const A walk(a + i * a_row, a_row, a_k, here);
    if (target.columns > kLanes)
      tile_of<Terms, kTileRows, 2>(here, walk, b.b, b.stride, k, target);
    else
      tile_of<Terms, kTileRows, 1>(here, walk, b.b, b.stride, k, target);
  }
}

inline Strip strip_of(const Product& p, int64_t from, int64_t t, int64_t k, float* packed) {
  if (p.packed.strips) return {p.packed.strips + from * p.k + t * kStrip, kStrip};
  const int64_t columns = p.n - from < kStrip ? p.n - from : kStrip;
  const float* b = p.b + t * p.b_k + from * p.b_n;
  if (p.b_n != 1)
    pack_transposed(b, p.b_n, k, columns, packed);
  else if (columns == kStrip && p.m <= 2 * kTileRows)
    return {b, p.b_k};  // few rows: a copy would not pay
  else
    pack_rows(b, p.b_k, k, columns, packed);
  return {packed, kStrip};
}

// Rows a multiple of 2 KB apart map to the same few sets of the L1 cache, so such an a is copied.
inline bool crowded(const Product& p) { return p.a_k == 1 && p.a_row % 512 == 0 && p.m > 4; }

inline void copy_rows(const Product& p, int64_t t, int64_t k, float* out) {
  for (int64_t i = 0; i < p.m; ++i, out += kTermBlock) {
    const float* const row = p.a + i * p.a_row + t;
    sweep(k, [&](int64_t c, auto at) { at(out + c, at(row + c)); });  // memcpy has too much overhead
  }
}

// Copies a with contiguous columns tile by tile, [k][rows], so that each tile is read sequentially.
// Columns 2 KB apart share few sets of the L1 cache, those 8 KB apart few of the L2 cache.
inline void pack_columns(const Product& p, int64_t t, int64_t k, int64_t rows, float* out) {
  for (int64_t u = 0; u < k; ++u)
    for (int64_t i = 0; i < p.m; i += rows)
      sweep(p.m - i < rows ? p.m - i : rows,
            [&](int64_t r, auto at) { at(out + i * k + u * rows + r, at(p.a + (t + u) * p.a_k + i + r)); });
}

inline void product_of_nothing(const Product& p) {
  if (p.store == Store::add) return;
  for (int64_t i = 0; i < p.m; ++i)
    sweep(p.n, [&](int64_t j, auto at) { at(p.c + i * p.c_stride + j, p.bias ? at(p.bias + j) : Vec{}); });
}

struct Strides {
  const float* a;
  int64_t row, k;
};
// The block of a from term t on, copied to a faster layout if it is read often enough.
inline Strides block_of_a(const Product& p, int64_t t, int64_t k, float* copied) {
  constexpr int64_t often = 4 * kStrip;
  if (crowded(p)) {
    copy_rows(p, t, k, copied);
    return {copied, kTermBlock, 1};
  }
  if (p.a_k != 1 && p.n >= often) {
    const int64_t rows = even_rows(p.m);
    pack_columns(p, t, k, rows, copied);
    return {copied, k, rows};
  }
  return {p.a + t * p.a_k, p.a_row, p.a_k};
}

// For both layouts of a: block of k by block of k, strip of b by strip of b.
inline void multiply(const Product& p, float* scratch) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return product_of_nothing(p);
  float *packed = scratch, *copied = scratch + kTermBlock * kMaxStrip;
  for (int64_t t = 0; t < p.k; t += kTermBlock) {
    const int64_t k = p.k - t < kTermBlock ? p.k - t : kTermBlock;
    const Strides a = block_of_a(p, t, k, copied);
    for (int64_t j = 0; j < p.n; j += kStrip) {
      const int64_t columns = p.n - j < kStrip ? p.n - j : kStrip;
      const TileTarget target{p.c + j, p.c_stride, columns, p.bias ? p.bias + j : nullptr, t ? Store::add : p.store};
      const Strip b = strip_of(p, j, t, k, packed);
      if (p.a_k == 1)
        tiles_of_strip<Singles, Rows>(p, a.a, a.row, 1, b, k, target);
      else
        tiles_of_strip<Singles, Columns>(p, a.a, a.row, a.k, b, k, target);
    }
  }
}

// See ProductKernel::limit: every step of the tile uses the same few numbers, which stay in the L1
// cache.
template <class Terms, class Target>
inline int64_t limit_of(int64_t rounds, int64_t terms, const Target& target) {
  alignas(64) const float a[16] = {}, b[kStrip] = {};
  tile<Terms, kTileRows, 2>(Columns(a, 1, 0, kTileRows), b, 0, rounds, target);
  return rounds * kTileRows * kStrip * terms * 2;
}

// See ProductKernel::pack.
inline void pack_all(const Product& p, float* strips) {
  for (int64_t from = 0; from < p.n; from += kStrip, strips += kStrip * p.k) {
    const int64_t columns = p.n - from < kStrip ? p.n - from : kStrip;
    if (p.b_n == 1)
      pack_rows(p.b + from, p.b_k, p.k, columns, strips);
    else
      pack_transposed(p.b + from * p.b_n, p.b_n, p.k, columns, strips);
  }
}

}  // namespace
}  // namespace hexapla::cpu::ISA
