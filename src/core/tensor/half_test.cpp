#include "tensor/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace hexapla {
namespace {

// The definition of the standard, in double.
double value_of_f16(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const auto fraction = static_cast<double>(bits & 1023U);
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryNumberOf16BitsComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float wide = float_of_f16(half), brain = float_of_bf16(half);
    if (!std::isnan(wide)) {
      EXPECT_EQ(f16_of_float(wide), half);
      EXPECT_TRUE(fits(DType::f16, wide));
    }
    if (!std::isnan(brain)) {
      EXPECT_EQ(bf16_of_float(brain), half);
    }
    EXPECT_EQ(std::isnan(wide), std::isnan(float_of_f16(f16_of_float(wide))));
    EXPECT_EQ(std::isnan(brain), std::isnan(float_of_bf16(bf16_of_float(brain))));
  }
}

TEST(Half, F16IsWhatTheStandardSays) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits)
    ASSERT_EQ(static_cast<double>(float_of_f16(static_cast<uint16_t>(bits))), value_of_f16(bits)) << bits;
  EXPECT_EQ(float_of_f16(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float_of_f16(0xfc00), -std::numeric_limits<float>::infinity());
}

TEST(Half, BetweenTwoNumbersTheNearestIsTakenAndOfTwoTheEvenOne) {
  for (uint32_t bits = 0; bits + 1 < 0x7c00; ++bits) {
    const double low = value_of_f16(bits), high = value_of_f16(bits + 1), middle = (low + high) / 2;
    const auto at = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(at), middle) << "f32 has the middle of two numbers of f16";
    const float above = std::nextafter(at, 1e9F), below = std::nextafter(at, 0.F);
    ASSERT_EQ(f16_of_float(at), bits + (bits & 1U)) << bits;
    ASSERT_EQ(f16_of_float(above), bits + 1) << bits;
    ASSERT_EQ(f16_of_float(below), bits) << bits;
    ASSERT_FALSE(fits(DType::f16, at));
  }
  EXPECT_EQ(f16_of_float(65519.99F), 0x7bff);
  EXPECT_EQ(f16_of_float(65520.F), 0x7c00);
  EXPECT_EQ(f16_of_float(-1e30F), 0xfc00);
  EXPECT_EQ(f16_of_float(-0.F), 0x8000);
  EXPECT_EQ(bf16_of_float(1.00390625F), 0x3f80) << "1 + 2^-8 lies in the middle";
  EXPECT_EQ(bf16_of_float(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(bf16_of_float(std::numeric_limits<float>::max()), 0x7f80);
}

TEST(Half, ATensorIsStoredAndWidened) {
  const std::vector<float> numbers{0.5F, -3.F, 1e-7F, 65504.F};
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    std::vector<uint32_t> memory(4);
    const Tensor stored(memory.data(), {2, 2}, type);
    const NumberStore to(stored);
    for (size_t i = 0; i < 4; ++i) to.set(i, numbers[i]);
    if (type == DType::f32) {
      EXPECT_EQ(stored.data<float>()[2], 1e-7F);
      continue;
    }
    std::vector<float> back(4);
    widen(stored, Tensor::of(back.data(), {2, 2}));
    EXPECT_EQ(back[0], 0.5F);
    EXPECT_EQ(back[1], -3.F);
    EXPECT_NEAR(back[2], 1e-7F, type == DType::f16 ? 3e-8 : 4e-10);
  }
}

}  // namespace
}  // namespace hexapla
