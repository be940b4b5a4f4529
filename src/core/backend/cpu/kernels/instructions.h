#pragma once
// Instructions that not every processor with AVX2 or AVX-512 has: AVX_VNNI, AVX512_BF16, AVX512_VNNI and AMX. On
// other processors, tests emulate them. Those of Arm are in neon_instructions.h.
#ifdef HEXAPLA_EMULATED
#include "backend/cpu/kernels/emulated_instructions.h"
#elif defined(HEXAPLA_NEON)
#include "backend/cpu/kernels/neon_instructions.h"
#else
#include "backend/cpu/kernels/product.h"

namespace hexapla::cpu::ISA {
namespace {

#ifdef __AVX512BF16__
// To bf16, ties to even: (a0 a1) (a2 a3) ... (b0 b1) ...
inline Vec pairs_along(Vec a, Vec b) { return (Vec)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a); }

// sum + x0 row0 + x1 row1 for pairs of bf16
__attribute__((always_inline)) inline Vec add_pairs(Vec sum, __m512i x, __m512i row) {
#ifdef __clang__
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(row));  // Clang 16 crashes on the intrinsic
  return sum;
#else  // GCC 12's code with the assembly takes up to four times as long
  return (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)row);
#endif
}
#endif

// sum + x0 row0 + ... + x3 row3, x unsigned bytes, row signed ones
__attribute__((always_inline)) inline Bits add_quads(Bits sum, Bits x, Bits row) {
  // GCC 12 copies the sums around its intrinsic
#if VEC_BYTES == 64
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(row));
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(x), "x"(row));
#endif
  return sum;
}

struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, unused[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// While an object exists, this thread may use tiles.
class Tiles {
 public:
  Tiles() {
    const TileShapes shapes;
    asm volatile("ldtilecfg %0" : : "m"(shapes));  // GCC 12 assumes that its intrinsic reads only 8 of the 64 bytes
  }
  ~Tiles() { asm volatile("tilerelease"); }
  Tiles(const Tiles&) = delete;
};

// GCC's own intrinsics accept literals only, not constants. Strides are in units of four bytes.
template <int T>
__attribute__((always_inline)) inline void clear_tile() {
  asm volatile("tilezero %%tmm%c0" : : "i"(T));
}
template <int T>
__attribute__((always_inline)) inline void load_tile(const void* p, int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"(stride * 4), "i"(T) : "memory");
}
template <int T>
__attribute__((always_inline)) inline void store_tile(void* p, int64_t stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"(stride * 4), "i"(T) : "memory");
}
// Tile C += rows of A x columns of B, with units of bf16 pairs or byte quads (A's unsigned).
template <int C, int A, int B>
__attribute__((always_inline)) inline void add_tiles_of_pairs() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
}
template <int C, int A, int B>
__attribute__((always_inline)) inline void add_tiles_of_quads() {
  asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(C), "i"(A), "i"(B));
}

}  // namespace
}  // namespace hexapla::cpu::ISA
#endif
