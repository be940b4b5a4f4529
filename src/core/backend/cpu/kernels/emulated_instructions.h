#pragma once
// kernels/instructions.h in plain AVX2 and AVX-512, as Intel's manual defines it: the same roundings in the
// same order, except for numbers below 2^-126, which the real instructions flush to 0.
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

inline Bits add_quads(Bits sum, Bits x, Bits row) {
  Int s = (Int)sum;
  for (int shift = 24; shift >= 0; shift -= 8) s += (Int)((Uint)x << shift >> 24) * ((Int)((Uint)row << shift) >> 24);
  return (Bits)s;
}

#if VEC_BYTES == 64
typedef uint16_t Half __attribute__((vector_size(VEC_BYTES)));

// Result in the lower half of every element.
inline Uint to_bf16(Vec x) {
  const Uint bits = (Uint)x, rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, quiet = bits >> 16 | 0x40;
  return x == x ? rounded : quiet;  // NaN differs from itself. NOLINT(misc-redundant-expression)
}

inline Vec pairs_along(Vec a, Vec b) {
  return (Vec)__builtin_shufflevector((Half)to_bf16(a), (Half)to_bf16(b), 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24,
                                      26, 28, 30, 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62);
}

inline Vec earlier(__m512i pairs) { return (Vec)((Uint)pairs << 16); }
inline Vec later(__m512i pairs) { return (Vec)((Uint)pairs & 0xffff0000); }
inline Vec add_product(Vec sum, Vec a, Vec b) { return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum); }

inline Vec add_pairs(Vec sum, __m512i x, __m512i row) {
  return add_product(add_product(sum, later(x), later(row)), earlier(x), earlier(row));
}

struct alignas(64) Tile {
  __m512i rows[16];
};
inline Tile* tiles_of_this_thread() {
  static thread_local Tile tiles[8];
  return tiles;
}
inline bool& this_thread_has_tiles() {
  static thread_local bool has = false;
  return has;
}
// The real instruction would end the program as well.
template <int T>
inline Tile& tile() {
  static_assert(T >= 0 && T < 8);
  if (!this_thread_has_tiles()) __builtin_trap();
  return tiles_of_this_thread()[T];
}

class Tiles {
 public:
  Tiles() {
    this_thread_has_tiles() = true;
    for (int t = 0; t < 8; ++t)
      for (__m512i& row : tiles_of_this_thread()[t].rows) row = _mm512_setzero_si512();
  }
  ~Tiles() { this_thread_has_tiles() = false; }
  Tiles(const Tiles&) = delete;
};

template <int T>
inline void clear_tile() {
  for (__m512i& row : tile<T>().rows) row = _mm512_setzero_si512();
}
template <int T>
inline void load_tile(const void* p, int64_t stride) {
  for (int r = 0; r < 16; ++r) tile<T>().rows[r] = _mm512_loadu_si512((const int32_t*)p + r * stride);
}
template <int T>
inline void store_tile(void* p, int64_t stride) {
  for (int r = 0; r < 16; ++r) _mm512_storeu_si512((int32_t*)p + r * stride, tile<T>().rows[r]);
}

template <int A>
inline __m512i unit(int row, int u) {
  int32_t bits;
  std::memcpy(&bits, (const char*)&tile<A>().rows[row] + 4 * u, sizeof bits);
  return _mm512_set1_epi32(bits);
}

template <int C, int A, int B>
inline void add_tiles_of_pairs() {
  for (int r = 0; r < 16; ++r) {
    Vec even{}, odd{};
    for (int u = 0; u < 16; ++u) {
      const __m512i x = unit<A>(r, u), row = tile<B>().rows[u];
      even = add_product(even, earlier(x), earlier(row));
      odd = add_product(odd, later(x), later(row));
    }
    __m512i& sums = tile<C>().rows[r];
    sums = (__m512i)((Vec)sums + (even + odd));
  }
}
template <int C, int A, int B>
inline void add_tiles_of_quads() {
  for (int r = 0; r < 16; ++r)
    for (int u = 0; u < 16; ++u) tile<C>().rows[r] = add_quads(tile<C>().rows[r], unit<A>(r, u), tile<B>().rows[u]);
}
#endif

}  // namespace
}  // namespace hexapla::cpu::ISA
