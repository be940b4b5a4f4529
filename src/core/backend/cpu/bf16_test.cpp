// Products in bf16 equal the reference on rounded factors up to the order of summation.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/cases.h"
#include "backend/cpu/testing.h"
#include "backend/reference/reference.h"
#include "base/compute/random.h"

namespace hexapla {
namespace {

// Rounds to the nearest bf16, ties to even.
float rounded(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

struct Numbers {
  std::vector<float> values;
  Shape shape;
  Tensor tensor() { return Tensor::of(values.data(), shape); }
};

class Bf16Products : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!cpu::has(GetParam(), Precision::bf16)) GTEST_SKIP() << "no bf16 for " << name_of(GetParam()) << " here";
    backend_ = make_cpu_backend(GetParam(), Precision::bf16);
  }

  Numbers normal(Shape s) {
    Numbers n{std::vector<float>(static_cast<size_t>(s.size())), s};
    for (float& x : n.values) x = static_cast<float>(random_.normal());
    return n;
  }
  static Numbers rounded_of(Numbers n) {
    for (float& x : n.values) x = rounded(x);
    return n;
  }
  static double worst(const Numbers& a, const Numbers& b) {
    double difference = 0, largest = 1e-30;
    for (size_t i = 0; i < a.values.size(); ++i) {
      difference = std::max(difference, std::fabs(static_cast<double>(a.values[i]) - static_cast<double>(b.values[i])));
      largest = std::max(largest, std::fabs(static_cast<double>(b.values[i])));
    }
    return difference / largest;
  }

  // The largest error of the three products of a layer, compared with the reference.
  double error(int64_t rows, int64_t in, int64_t out, bool transposed, bool round_first) {
    const auto view = [&](Numbers& n) { return transposed ? n.tensor().transposed() : n.tensor(); };
    const Shape weight = transposed ? Shape{out, in} : Shape{in, out};
    Numbers x = normal({rows, in}), w = normal(weight), b = normal({out}), dy = normal({rows, out});
    Numbers y = normal({rows, out}), dx = normal({rows, in}), dw = normal(weight);
    Numbers ref_y = y, ref_dx = dx, ref_dw = dw;
    backend_->linear(x.tensor(), view(w), b.tensor(), y.tensor());
    backend_->linear_backward_input(dy.tensor(), view(w), dx.tensor(), Write::add);
    backend_->linear_backward_weight(x.tensor(), dy.tensor(), view(dw), {});
    if (round_first) x = rounded_of(x), w = rounded_of(w), dy = rounded_of(dy);
    reference_->linear(x.tensor(), view(w), b.tensor(), ref_y.tensor());
    reference_->linear_backward_input(dy.tensor(), view(w), ref_dx.tensor(), Write::add);
    reference_->linear_backward_weight(x.tensor(), dy.tensor(), view(ref_dw), {});
    return std::max({worst(y, ref_y), worst(dx, ref_dx), worst(dw, ref_dw)});
  }

  std::unique_ptr<Backend> backend_, reference_ = make_reference_backend();
  Random random_{5};
};

TEST_P(Bf16Products, AreTheReferenceOnRoundedFactors) {
  for (const bool transposed : {false, true}) {
    for (const auto& [rows, in, out] : {std::tuple{1, 1, 1},
                                        {1, 7, 5},
                                        {7, 1, 3},
                                        {5, 3, 1},
                                        {16, 16, 16},
                                        {7, 33, 65},
                                        {70, 65, 33},
                                        {1, 1030, 64},
                                        {33, 64, 192},
                                        {2, 5, 1003},
                                        {257, 3, 2},
                                        {300, 128, 512},
                                        {515, 31, 40},
                                        {1025, 40, 16}})
      EXPECT_LE(error(rows, in, out, transposed, true), 1e-5) << rows << 'x' << in << 'x' << out << transposed;
    for (int64_t w = 1; w <= 70; ++w)
      EXPECT_LE(error(3 + w % 15, w, 71 - w, transposed, true), 1e-5) << w << ' ' << transposed;
  }
}

TEST_P(Bf16Products, DoRound) { EXPECT_GT(error(20, 64, 64, false, false), 1e-4); }

// Attention rounds its factors where that is faster: every case, with gradients, is within bf16's
// accuracy.
TEST_P(Bf16Products, OfAttentionAreNearTheReference) {
  double most = 0;
  for (const OpCase& c : op_cases())
    if (c.op == "attention" || c.op == "attention_backward") {
      const double worst = worst_relative_error(c, *backend_, *reference_);
      EXPECT_LE(worst, 0.03) << c.name;
      most = std::max(most, worst);
    }
  EXPECT_EQ(most > 1e-4, GetParam() == Isa::amx) << "only there are they rounded; worst " << most;
}

TEST_P(Bf16Products, SaySo) {
  EXPECT_NE(product_implementation(*backend_).find("bf16"), std::string::npos) << product_implementation(*backend_);
}

INSTANTIATE_TEST_SUITE_P(All, Bf16Products, testing::Values(Isa::avx512, Isa::amx, Isa::i8mm),
                         [](const auto& isa) { return std::string(name_of(isa.param)); });

TEST(CpuPrecision, NamesAreParsed) {
  EXPECT_EQ(parse_precision("f32"), Precision::f32);
  EXPECT_THROW(parse_precision("fp8"), UsageError);
  const Environment isa("HEXAPLA_ISA", "generic");
  EXPECT_EQ(parse_precision("auto"), Precision::f32);
  EXPECT_THROW(parse_precision("bf16"), UsageError);
}

}  // namespace
}  // namespace hexapla
