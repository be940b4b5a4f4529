#pragma once
// AMX tiles: registers of 16 rows of 64 bytes. One instruction multiplies 16 rows of a, 16 units
// each, by 16 units of 16 columns of b and adds the result to 16 x 16 sums; both are laid out as in
// packed rows and strips. Here a product of 32 rows and one strip of 32 columns uses four tiles of
// sums. See Intel's Software Developer's Manual, volume 1, chapter 18.
#include "backend/cpu/kernels/instructions.h"
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t kBlock = 16;  // rows and units of a tile
constexpr int64_t kTall = 2 * kBlock;

// Sums: tiles 0 1 above 2 3. R: one or two blocks of rows.
template <int R>
__attribute__((always_inline)) inline void clear_sums() {
  clear_tile<0>();
  clear_tile<1>();
  if constexpr (R == 2) clear_tile<2>(), clear_tile<3>();
}
template <int R>
__attribute__((always_inline)) inline void load_sums(const void* c, int64_t stride) {
  const int32_t* p = (const int32_t*)c;
  load_tile<0>(p, stride);
  load_tile<1>(p + kBlock, stride);
  if constexpr (R == 2) load_tile<2>(p + kBlock * stride, stride), load_tile<3>(p + kBlock * stride + kBlock, stride);
}
template <int R>
__attribute__((always_inline)) inline void store_sums(void* c, int64_t stride) {
  int32_t* p = (int32_t*)c;
  store_tile<0>(p, stride);
  store_tile<1>(p + kBlock, stride);
  if constexpr (R == 2) store_tile<2>(p + kBlock * stride, stride), store_tile<3>(p + kBlock * stride + kBlock, stride);
}

// steps: of 16 units each.
template <class Terms, int R>
__attribute__((always_inline)) inline void add_products(const float* a, int64_t a_row, Strip b, int64_t steps) {
  for (; steps > 0; --steps, a += kBlock, b.b += kBlock * b.stride) {
    load_tile<6>(b.b, b.stride);
    load_tile<4>(a, a_row);
    load_tile<7>(b.b + kBlock, b.stride);
    Terms::template multiply<0, 4, 6>();
    Terms::template multiply<1, 4, 7>();
    if constexpr (R == 2) {
      load_tile<5>(a + kBlock * a_row, a_row);
      Terms::template multiply<2, 5, 6>();
      Terms::template multiply<3, 5, 7>();
    }
  }
}

// See ProductKernel::limit: every step uses the same tiles, which stay in the L1 cache.
template <class Terms>
inline int64_t limit_of(int64_t rounds, int64_t terms) {
  alignas(64) const float a[kTall * kBlock] = {}, b[kBlock * kStrip] = {};
  const Tiles tiles;
  clear_sums<2>();
  for (int64_t i = 0; i < rounds; ++i) add_products<Terms, 2>(a, kBlock, {b, kStrip}, 1);
  return rounds * kTall * kStrip * kBlock * terms * 2;
}

}  // namespace
}  // namespace hexapla::cpu::ISA
