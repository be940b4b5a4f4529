// A mixture of experts equals PyTorch's: outputs, balancing loss and every gradient, with one and
// two experts per token, with and without a capacity. scripts/golden/make_golden.py makes the
// fixture.
#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "model/checks/golden_test.h"
#include "model/layers/mixture_of_experts.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

constexpr double kBalancing = 0.3;  // as in the fixture

struct GoldenCase {
  const char* name;
  int64_t per_token;
  double capacity;
};
void PrintTo(const GoldenCase& c, std::ostream* out) { *out << c.name; }

class GoldenExperts : public testing::TestWithParam<GoldenCase> {
 protected:
  void equals_pytorch(std::unique_ptr<Backend> backend, DType dtype, double tolerance) const;
};

void GoldenExperts::equals_pytorch(std::unique_ptr<Backend> backend, DType dtype, double tolerance) const {
  const std::string name = GetParam().name;
  const Golden golden("golden_experts");
  MixtureOfExperts layer(Activation::relu, {6, 5, 4, GetParam().per_token}, {GetParam().capacity, kBalancing}, 0);
  const Parameters parameters(layer, dtype, Parameters::Use::training);
  for_each<Parameter>(layer, [&](const std::string& p, Parameter& to) {
    golden.read(name + ".value." + p, to.value);
    EXPECT_EQ(golden.shape(name + ".value." + p), to.shape) << p;
  });
  Arena arena(size_t{1} << 20);
  Context cx{*backend, arena, dtype, true};
  const Tensor x = cx.keep(golden.shape(name + ".x")), dy = cx.keep(x.shape), dx = cx.keep(x.shape);
  golden.read(name + ".x", x);
  golden.read(name + ".dy", dy);
  backend->fill(dx, 0);

  Comparison comparison(golden);
  const std::vector<int32_t> rows{0, static_cast<int32_t>(x.shape[0])};
  MixtureOfExperts::Saved s;
  comparison.relative(name + ".y", layer.forward(cx, x, rows, s), tolerance);
  EXPECT_NEAR(s.balancing, kBalancing * golden.numbers(name + ".imbalance").front(), 10 * tolerance);
  s.scale = 1;
  layer.backward(cx, s, dy, dx);
  comparison.relative(name + ".dx", dx, tolerance);
  for_each<Parameter>(layer, [&](const std::string& p, Parameter& of) {
    comparison.relative(name + ".gradient." + p, of.grad, tolerance);
  });
  EXPECT_EQ(comparison.first_difference(), "") << backend->name();
}

TEST_P(GoldenExperts, EqualPyTorch) {
  equals_pytorch(make_reference_backend(), DType::f64, 1e-12);
  equals_pytorch(make_reference_backend(), DType::f32, 1e-5);
  equals_pytorch(make_cpu_backend(), DType::f32, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenExperts,
                         testing::Values(GoldenCase{"top_1", 1, 0}, GoldenCase{"top_2", 2, 0},
                                         GoldenCase{"top_1_capacity", 1, 0.8}, GoldenCase{"top_2_capacity", 2, 0.8}),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace hexapla::model
