// R-Drop's loss equals PyTorch's: the cross-entropy and divergence of every token, and the
// gradients of the output layer. scripts/golden/make_golden.py makes the fixture.
#include <gtest/gtest.h>

#include "backend/cpu/cpu.h"
#include "backend/reference/reference.h"
#include "model/checks/golden_test.h"
#include "ops/ops.h"

namespace hexapla::model {
namespace {

template <class T>
void equals_pytorch(Backend& backend, DType dtype, double tolerance) {
  const Golden golden("golden_r_drop");
  const auto tensor = [&](const std::string& name, std::vector<T>& memory) {
    const std::vector<double> numbers = golden.numbers(name);
    memory.assign(numbers.begin(), numbers.end());
    return Tensor::of(memory.data(), golden.shape(name));
  };
  std::vector<T> x_memory, w_memory, b_memory;
  const Tensor x = tensor("x", x_memory), w = tensor("w", w_memory), b = tensor("b", b_memory);
  std::vector<T> dw_memory(w_memory.size()), db_memory(b_memory.size());
  const Tensor dw = Tensor::of(dw_memory.data(), w.shape), db = Tensor::of(db_memory.data(), b.shape);
  std::vector<int32_t> labels = golden.ids("labels");

  Arena arena(size_t{1} << 20);
  Context cx{backend, arena, dtype};
  const LossInput passes{x, w, b, Tensor::of(labels.data(), {int64_t(labels.size())}), golden.numbers("smoothing")[0],
                         1};
  const RDropGradient r = r_drop_with_gradient(cx, {passes, golden.numbers("alpha")[0]}, dw, db);
  Comparison comparison(golden);
  comparison.relative("loss", r.loss.loss, tolerance);
  comparison.relative("divergence", r.divergence, tolerance);
  comparison.relative("dx", r.d, tolerance);
  comparison.relative("dw", dw, tolerance);
  comparison.relative("db", db, tolerance);
  EXPECT_EQ(comparison.first_difference(), "") << backend.name();
}

TEST(GoldenRDrop, TheLossAndEveryGradient) {
  equals_pytorch<double>(*make_reference_backend(), DType::f64, 1e-12);
  equals_pytorch<float>(*make_reference_backend(), DType::f32, 1e-6);
  equals_pytorch<float>(*make_cpu_backend(), DType::f32, 1e-5);
}

}  // namespace
}  // namespace hexapla::model
