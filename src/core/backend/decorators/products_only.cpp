#include "backend/decorators/products_only.h"

#include "backend/decorators/each_op.h"
#include "base/compute/parallel.h"

namespace hexapla {
namespace {

constexpr int64_t kShared = 64;  // rows per thread in a tile

class ProductsOnly final : public Decorator {
 public:
  using Decorator::Decorator;
  std::string name() const override { return inner_.name() + ", products only"; }

  void linear(Tensor x, const Weight& w, Tensor b, Tensor y) override { inner_.linear(x, w, b, y); }
  void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) override {
    inner_.linear_backward_input(dy, w, dx, how);
  }
  void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor) override {
    inner_.linear_backward_weight(x, dy, dw, {});
  }
  // The three products of the output layer, by tiles, with the weight packed once.
  void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor, Tensor, Tensor dx, Tensor dw,
                                   Tensor) override {
    const int64_t rows = in.x.shape[0], height = tile.shape[0];
    const Tensor w_transposed = in.w.values.transposed();
    const auto packed = inner_.pack(in.w.values), packed_transposed = inner_.pack(w_transposed);
    const Weight w(in.w.values, packed.get()), transposed(w_transposed, packed_transposed.get());
    for (int64_t from = 0; from < rows; from += height) {
      const int64_t count = std::min(height, rows - from);
      const Tensor x = in.x.slice(from, count), logits = tile.slice(0, count);
      parallel_for((count + kShared - 1) / kShared, [&](int64_t i) {
        const int64_t at = i * kShared, n = std::min(kShared, count - at);
        inner_.linear(x.slice(at, n), w, in.b, logits.slice(at, n));
        inner_.linear(logits.slice(at, n), transposed, {}, dx.slice(from + at, n));
      });
      inner_.linear_backward_weight(x, logits, dw, {});
    }
  }

 private:
  void run(const Op&, const Compute&) override {}
};

}  // namespace

std::unique_ptr<Backend> make_products_only(Backend& inner) { return std::make_unique<ProductsOnly>(inner); }

}  // namespace hexapla
