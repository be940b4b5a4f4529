#include "tensor/half.h"

#include <bit>
#include <cmath>

namespace hexapla {
namespace {

constexpr uint32_t kInfinity = 0x7f800000U, kQuiet = 0x400000U;

// x / 2^shift as an integer, rounded to nearest even. shift: 1 to 31.
uint32_t shifted(uint32_t x, uint32_t shift) {
  const uint32_t half = uint32_t{1} << (shift - 1), rest = x & ((half << 1) - 1), down = x >> shift;
  return down + (rest > half || (rest == half && (down & 1U)) ? 1 : 0);
}

}  // namespace

float float_of_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16, exponent = bits >> 10 & 31U,
                 fraction = bits & 1023U;
  if (exponent == 0) {  // zero or subnormal
    const float small = static_cast<float>(fraction) * 0x1p-24F;
    return sign ? -small : small;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float float_of_bf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

uint16_t f16_of_float(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000U, all = bits & 0x7fffffffU, exponent = all >> 23;
  if (all > kInfinity) return static_cast<uint16_t>(sign | 0x7e00U);
  if (exponent < 103) {  // at most half of the smallest subnormal
    const bool more = exponent == 102 && (all & 0x7fffffU) != 0;
    return static_cast<uint16_t>(sign | (more ? 1U : 0U));
  }
  if (exponent < 113)  // subnormal: a multiple of 2^-24
    return static_cast<uint16_t>(sign | shifted((all & 0x7fffffU) | 0x800000U, 126 - exponent));
  const uint32_t near = shifted(all - (uint32_t{112} << 23), 13);  // a carry into the exponent is correct
  return static_cast<uint16_t>(sign | (exponent >= 143 || near >= 0x7c00U ? 0x7c00U : near));
}

uint16_t bf16_of_float(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7fffffffU) > kInfinity) return static_cast<uint16_t>((bits | kQuiet) >> 16);
  return static_cast<uint16_t>((uint64_t{bits} + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

void widen(const Tensor& from, const Tensor& to) {
  HEXAPLA_CHECK(is_half(from.dtype) && from.contiguous() && to.contiguous() && from.shape == to.shape,
                "widen: ", name_of(from.dtype), " ", from.shape, " to ", to.shape);
  const auto* halves = reinterpret_cast<const uint16_t*>(from.bytes);
  float* numbers = to.data<float>();
  const auto n = static_cast<size_t>(from.size());
  if (from.dtype == DType::f16)
    for (size_t i = 0; i < n; ++i) numbers[i] = float_of_f16(halves[i]);
  else
    for (size_t i = 0; i < n; ++i) numbers[i] = float_of_bf16(halves[i]);
}

bool fits(DType type, float x) {
  return type == DType::f32 || (type == DType::f16 ? float_of_f16(f16_of_float(x)) == x
                                                   : type == DType::bf16 && float_of_bf16(bf16_of_float(x)) == x);
}

}  // namespace hexapla
