#pragma once
// Dropout masks: Philox4x32-10 on vectors of counters; backend/dropout_layout.h defines which
// element gets which bits.
#include "backend/cpu/kernels/vec.h"

namespace hexapla::cpu::ISA {
namespace {

// Multiplies the lower 32 bits of every 64-bit lane.
inline Wide multiply_low(Wide a, uint64_t b) {
#if VEC_BYTES == 64
  return (Wide)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64((long long)b));
#elif VEC_BYTES == 32
  return (Wide)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x((long long)b));
#elif defined(__x86_64__)
  return (Wide)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x((long long)b));
#elif defined(HEXAPLA_NEON)
  return (Wide)vmull_u32(vmovn_u64((uint64x2_t)a), vdup_n_u32((uint32_t)b));
#else
  return (a & 0xFFFFFFFFu) * b;
#endif
}

// The upper 32 bits of every 64-bit lane, in its lower half; the upper half is garbage. A shuffle,
// because a shift would wait for the unit that multiplies.
inline Wide upper_half(Wide a) {
#if VEC_BYTES == 64
  return (Wide)_mm512_movehdup_ps((__m512)a);
#else
  return a >> 32;
#endif
}

// Interleaves the lower halves of even and odd.
inline Uint lower_halves(Wide even, Wide odd) {
#if VEC_BYTES == 64
  return (Uint)_mm512_mask_moveldup_ps((__m512)even, 0xAAAA, (__m512)odd);
#else
  return (Uint)((even & 0xFFFFFFFFu) | (odd << 32));
#endif
}

// Words in 64-bit lanes whose upper halves are garbage: the products ignore them.
struct Words {
  Wide c[4];
};
inline void philox_round(Words& w, uint64_t k0, uint64_t k1) {
  const Wide a = multiply_low(w.c[0], 0xD2511F53), b = multiply_low(w.c[2], 0xCD9E8D57);
  w = {{upper_half(b) ^ w.c[1] ^ k0, b, upper_half(a) ^ w.c[3] ^ k1, a}};
}

// Factors (0 or the scale) for the first columns of a group of a row; out holds a whole group. Each
// lane draws one counter.
inline void dropout_factors(const Dropout& d, uint32_t row, uint32_t group, int64_t columns, float* out) {
  using dropout_layout::kCounters, dropout_layout::kHalves;
  const Vec scale = all(d.scale);
  for (int64_t lane = 0; lane < kCounters; lane += kLanes) {
    Words even{}, odd{};
    even.c[0] = ((Wide)lanes() & 0xFFFFFFFFu) + (kCounters * (uint64_t)group + (uint64_t)lane);  // lanes 0, 2, 4 ..
    odd.c[0] = ((Wide)lanes() >> 32) + (kCounters * (uint64_t)group + (uint64_t)lane);           // lanes 1, 3, 5 ..
    even.c[1] = odd.c[1] = Wide{} + row;
    even.c[2] = odd.c[2] = Wide{} + d.tensor;
    even.c[3] = odd.c[3] = Wide{} + d.step;
    uint32_t k0 = d.key[0], k1 = d.key[1];
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      philox_round(even, k0, k1);
      philox_round(odd, k0, k1);
    }
    for (int64_t word = 0; kCounters * kHalves * word < columns; ++word) {
      const Uint bits = lower_halves(even.c[word], odd.c[word]);
      const Int low = (Int)(bits & 0xFFFFu), high = (Int)(bits >> 16);
      float* const part = out + kCounters * kHalves * word + lane;
      store(part, (Vec)((low >= d.threshold) & (Int)scale));
      store(part + kCounters, (Vec)((high >= d.threshold) & (Int)scale));
    }
  }
}

}  // namespace
}  // namespace hexapla::cpu::ISA
