// The alternatives to the encoder's self-attention equal PyTorch's torch.nn.GRU and
// torch.nn.Conv1d: outputs and every gradient. scripts/golden/make_golden.py makes the fixture.
#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "model/checks/golden_test.h"
#include "model/layers/mixing.h"
#include "model/parameters/parameters.h"

namespace hexapla::model {
namespace {

constexpr int64_t kWidth = 6;  // as in the fixture

template <class M>
void equals_pytorch(M layer, const std::string& name, std::unique_ptr<Backend> backend, DType dtype, double tolerance) {
  const Golden golden("golden_mixing");
  const Parameters parameters(layer, dtype, Parameters::Use::training);
  for_each<Parameter>(layer, [&](const std::string& p, Parameter& to) {
    golden.read(name + ".value." + p, to.value);
    EXPECT_EQ(golden.shape(name + ".value." + p), to.shape) << p;
  });
  const std::vector<int32_t> rows = golden.ids("rows");
  Arena arena(size_t{1} << 20);
  Context cx{*backend, arena, dtype};
  const Tensor x = cx.keep({rows.back(), kWidth}), dy = cx.keep(x.shape), dx = cx.keep(x.shape);
  golden.read(name + ".x", x);
  golden.read(name + ".dy", dy);
  backend->fill(dx, 0);

  Comparison comparison(golden);
  typename M::Saved s;
  comparison.relative(name + ".y", layer.forward(cx, x, rows, s), tolerance);
  layer.backward(cx, s, dy, dx);
  comparison.relative(name + ".dx", dx, tolerance);
  for_each<Parameter>(layer, [&](const std::string& p, Parameter& of) {
    comparison.relative(name + ".gradient." + p, of.grad, tolerance);
  });
  EXPECT_EQ(comparison.first_difference(), "") << backend->name();
}

template <class M>
void equals_pytorch_everywhere(const M& layer, const std::string& name) {
  equals_pytorch(layer, name, make_reference_backend(), DType::f64, 1e-12);
  equals_pytorch(layer, name, make_reference_backend(), DType::f32, 1e-5);
  equals_pytorch(layer, name, make_cpu_backend(), DType::f32, 1e-5);
}

TEST(GoldenMixing, BidirectionalGru) { equals_pytorch_everywhere(BidirectionalGru(kWidth), "gru"); }
TEST(GoldenMixing, Convolution) { equals_pytorch_everywhere(Convolution(kWidth, 5), "convolution"); }

}  // namespace
}  // namespace hexapla::model
