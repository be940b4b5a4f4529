// exp, tanh and erf of the kernels, through the calls that use them: relative errors per element,
// not against the largest.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "backend/cpu/testing.h"

namespace hexapla {
namespace {

class CpuMath : public testing::TestWithParam<Isa> {
 protected:
  std::unique_ptr<Backend> backend_ = make_cpu_backend(GetParam());
};

// Small, medium and large numbers of both signs.
std::vector<float> probes(double largest) {
  std::vector<float> x;
  for (double v = 1e-6; v < largest; v *= 1.03)
    for (const double sign : {1.0, -1.0}) x.push_back(static_cast<float>(sign * v));
  return x;
}

template <class F>
void expect_near(const std::vector<float>& x, const std::vector<float>& y, F exact, double tolerance) {
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = exact(static_cast<double>(x[i]));
    EXPECT_NEAR(y[i] / want, 1, tolerance) << "at " << x[i];
  }
}

TEST_P(CpuMath, GeluIsExactFromTheTailToTheSmallest) {
  const std::vector<float> x = probes(5);
  std::vector<float> y(x.size());
  const Shape s{std::ssize(x)};
  backend_->activate(Activation::gelu, Tensor::of(x.data(), s), Tensor::of(y.data(), s));
  expect_near(
      x, y, [](double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); }, 3e-6);
}

TEST_P(CpuMath, SwishIsExactFromTheTailToTheSmallest) {
  const std::vector<float> x = probes(60);
  std::vector<float> y(x.size());
  const Shape s{std::ssize(x)};
  backend_->activate(Activation::swish, Tensor::of(x.data(), s), Tensor::of(y.data(), s));
  expect_near(
      x, y, [](double v) { return v / (1 + std::exp(-v)); }, 5e-7);
}

TEST_P(CpuMath, GeluByTanhIsExactFromTheTailToTheSmallest) {
  const std::vector<float> x = probes(5);
  std::vector<float> y(x.size());
  const Shape s{std::ssize(x)};
  backend_->activate(Activation::gelu_tanh, Tensor::of(x.data(), s), Tensor::of(y.data(), s));
  const auto exact = [](double v) {
    return v / (1 + std::exp(-2 * std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
  };
  expect_near(x, y, exact, 5e-6);
}

// With one key the log of the sum of e^score is the score, here tanh(q + 0).
TEST_P(CpuMath, TanhIsExactFromOneToTheSmallest) {
  const std::vector<float> q = probes(20);
  const auto n = std::ssize(q);
  std::vector<float> out(q.size()), lse(q.size()), zero(1, 0.0f), one(1, 1.0f);
  const std::vector<int32_t> queries{0, static_cast<int32_t>(n)}, keys{0, 1};
  AttentionInput a{Tensor::of(q.data(), {n, 1, 1}), Tensor::of(zero.data(), {1, 1, 1}),
                   Tensor::of(one.data(), {1, 1, 1}), queries, keys};
  a.additive = Tensor::of(one.data(), {1, 1});
  backend_->additive_attention(a, Tensor::of(out.data(), {n, 1}), Tensor::of(lse.data(), {n, 1}));
  expect_near(
      q, lse, [](double v) { return std::tanh(v); }, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, CpuMath, testing::ValuesIn(isas_here()),
                         [](const auto& isa) { return std::string(name_of(isa.param)); });

}  // namespace
}  // namespace hexapla
