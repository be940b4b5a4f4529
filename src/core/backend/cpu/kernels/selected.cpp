// Products with selected columns of a weight.
#include "backend/cpu/kernels/table.h"
#include "backend/cpu/kernels/vec.h"

namespace hexapla::cpu::ISA {
namespace {

constexpr int64_t kAtOnce = 4;  // columns at a time, so that their sums do not wait for each other

inline Vec numbers(const float* p, Whole at) { return at(p); }
inline Vec numbers(const float* p, Part at) { return at(p); }
inline Vec numbers(const int8_t* p, Whole) {
#if VEC_BYTES == 64
  return (Vec)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)p)));
#elif VEC_BYTES == 32
  return (Vec)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)p)));
#elif defined(HEXAPLA_NEON)
  int32_t four;
  std::memcpy(&four, p, sizeof four);
  return (Vec)vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_s32(vdup_n_s32(four))))));
#else
  return Vec{(float)p[0], (float)p[1], (float)p[2], (float)p[3]};
#endif
}
inline Vec numbers(const int8_t* p, Part at) {
  Vec v{};
  for (int64_t i = 0; i < at.n; ++i) v[i] = p[i];
  return v;
}

template <class T>
inline void four_columns(const SelectedColumns& s, const T* table, int64_t from) {
  const int64_t count = s.count - from < kAtOnce ? s.count - from : kAtOnce;
  int64_t ids[kAtOnce];
  for (int64_t j = 0; j < kAtOnce; ++j) ids[j] = s.ids[from + (j < count ? j : 0)];
  const T *a = table + ids[0] * s.d, *b = table + ids[1] * s.d, *c = table + ids[2] * s.d, *e = table + ids[3] * s.d;
  for (int64_t n = 0; n < s.rows; ++n) {
    const float* x = s.x + n * s.x_stride;
    Vec sums[kAtOnce] = {};
    sweep(s.d, [&](int64_t i, auto at) {
      const Vec v = at(x + i);
      sums[0] += v * numbers(a + i, at);
      sums[1] += v * numbers(b + i, at);
      sums[2] += v * numbers(c + i, at);
      sums[3] += v * numbers(e + i, at);
    });
    for (int64_t j = 0; j < count; ++j)
      s.y[n * s.y_stride + from + j] =
          sum(sums[j]) * (s.scales ? s.scales[ids[j]] : 1.0f) + (s.bias ? s.bias[ids[j]] : 0.0f);
  }
}

}  // namespace

void linear_selected(const SelectedColumns& s) {
  for (int64_t from = 0; from < s.count; from += kAtOnce) {
    if (s.integers)
      four_columns(s, s.integers, from);
    else
      four_columns(s, s.table, from);
  }
}

}  // namespace hexapla::cpu::ISA
