#pragma once
// exp, tanh, erf and others on vectors; relative errors about 1e-7 to 1e-6.
#include "backend/cpu/kernels/vec.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr float kInfinity = __builtin_inff();

// e^x = 2^n e^r, |r| <= ln2 / 2, with the polynomial of Cephes. 0 below -87.3; never more than e^88.
inline Vec exp(Vec x) {
  const Vec lowest = all(-87.3f), top = all(88.0f);
#if VEC_BYTES == 64  // with instructions for the rounding and for 2^n
  const __mmask16 seen = _mm512_cmp_ps_mask((__m512)x, (__m512)lowest, _CMP_NLT_UQ);
  const Vec z = (Vec)_mm512_min_ps((__m512)top, (__m512)x);  // in this order a NaN stays one
  const Vec f = (Vec)_mm512_roundscale_ps((__m512)(z * 1.44269504f), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  Vec z = lowest > x ? lowest : x;  // in this order a NaN stays one
  z = z > top ? top : z;
  const Vec t = z * 1.44269504f + 12582912.0f;  // the sum rounds to the nearest integer
  const Int n = (Int)t - 0x4B400000;
  const Vec f = t - 12582912.0f;
#endif
  const Vec r = z - f * 0.693359375f + f * 2.12194440e-4f;
  Vec p = all(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const Vec y = p * (r * r) + r + 1.0f;
#if VEC_BYTES == 64
  return (Vec)_mm512_maskz_scalef_ps(seen, (__m512)y, (__m512)f);
#else
  const Vec e = (Vec)((Int)y + (n << 23));
  return x < lowest ? Vec{} : e;
#endif
}

inline Vec sigmoid(Vec x) { return 1.0f / (1.0f + exp(-x)); }

// The rational minimax approximation that Eigen and others use: odd by construction, so it is exact towards 0.
inline Vec tanh(Vec x) {
  const Vec limit = all(7.90531110763549805f);
  Vec z = x > limit ? limit : x;
  z = z < -limit ? -limit : z;
  const Vec s = z * z;
  Vec p = all(-2.76076847742355e-16f);
  p = p * s + 2.00018790482477e-13f;
  p = p * s - 8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  Vec q = all(1.19825839466702e-06f);
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  return z * p / q;
}

// |x| < 1 only; the same kind of approximation.
inline Vec erf_near_zero(Vec x) {
  const Vec s = x * x;
  Vec p = all(-2.72614225801306e-10f);
  p = p * s + 2.77068142495902e-08f;
  p = p * s - 2.10102402082508e-06f;
  p = p * s - 5.69250639462346e-05f;
  p = p * s - 7.34990630326855e-04f;
  p = p * s - 2.95459980854025e-03f;
  p = p * s - 1.60960333262415e-02f;
  Vec q = all(-1.45660718464996e-05f);
  q = q * s - 2.13374055278905e-04f;
  q = q * s - 1.68282697438203e-03f;
  q = q * s - 7.37332916720468e-03f;
  q = q * s - 1.42647390514189e-02f;
  return x * p / q;
}

// z >= 0: erfc with a small relative error everywhere (Numerical Recipes, erfcc).
inline Vec erfc_positive(Vec z) {
  const Vec t = 1.0f / (1.0f + 0.5f * z);
  Vec p = all(0.17087277f);
  p = p * t - 0.82215223f;
  p = p * t + 1.48851587f;
  p = p * t - 1.13520398f;
  p = p * t + 0.27886807f;
  p = p * t - 0.18628806f;
  p = p * t + 0.09678418f;
  p = p * t + 0.37409196f;
  p = p * t + 1.00002368f;
  return t * exp(p * t - 1.26551223f - z * z);
}

// Phi(x), the normal distribution function, without the cancellation of 1 + erf for negative x.
inline Vec normal_cdf(Vec x) {
  const Vec z = x * 0.70710678f, size = z < 0.0f ? -z : z;
  const Vec tail = 0.5f * erfc_positive(size);
  const Vec far = z < 0.0f ? tail : 1.0f - tail;
  return size < 0.75f ? 0.5f + 0.5f * erf_near_zero(z) : far;
}

inline float highest_of(const float* x, int64_t n) {
  Vec top[4] = {all(-kInfinity), all(-kInfinity), all(-kInfinity), all(-kInfinity)};
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes)
    for (int j = 0; j < 4; ++j) top[j] = max(top[j], load(x + i + j * kLanes));
  sweep(n - i, [&](int64_t c, auto at) { top[0] = max(top[0], at.keep(at(x + i + c), top[0])); });
  return highest(max(max(top[0], top[1]), max(top[2], top[3])));
}

}  // namespace
}  // namespace hexapla::cpu::ISA
