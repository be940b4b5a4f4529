#include "backend/cpu/kernels/table.h"
#include "backend/cpu/kernels/vec.h"

namespace hexapla::cpu::ISA {

// The decay is part of the step: as a factor, 1 - 1e-8 would round to 1, since f32 has nothing
// between 1 and 1 - 6e-8.
void adam(const AdamRange& a) {
  float* __restrict p = a.p;
  float* __restrict m = a.m;
  float* __restrict v = a.v;
  const float* __restrict gradient = a.g;
  for (int64_t i = 0; i < a.n; ++i) {
    const float g = gradient[i] * a.grad_scale;
    m[i] = a.beta1 * m[i] + a.rest1 * g;
    v[i] = a.beta2 * v[i] + a.rest2 * (g * g);
    p[i] -= a.rate * m[i] / (__builtin_sqrtf(v[i] * a.v_scale) + a.eps) + a.decay * p[i];
  }
}

double sum_of_squares(const float* x, int64_t n) {
  double s[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int64_t j = 0; j < 16; ++j) s[j] += (double)x[i + j] * (double)x[i + j];
  for (int64_t j = 0; i < n; ++i, ++j) s[j] += (double)x[i] * (double)x[i];
  for (int64_t half = 8; half > 0; half /= 2)
    for (int64_t j = 0; j < half; ++j) s[j] += s[j + half];
  return s[0];
}

}  // namespace hexapla::cpu::ISA
