#include "backend/decorators/value_checker.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/decorators/each_op.h"
#include "backend/on_host.h"
#include "base/scope.h"

namespace hexapla {
namespace {

template <class T>
void look_at(const T* x, const Shape& shape, const std::array<int64_t, Shape::kMaxRank>& strides, int dimension,
             Extremes& e) {
  if (dimension == Shape::kMaxRank || dimension == shape.rank()) {
    ++e.values;
    if (std::isnan(*x))
      ++e.nan;
    else if (std::isinf(*x))
      ++e.infinite;
    else
      e.largest = std::max(e.largest, std::fabs(static_cast<double>(*x)));
    return;
  }
  for (int64_t i = 0; i < shape[dimension]; ++i) look_at(x + i * strides[dimension], shape, strides, dimension + 1, e);
}

template <class T>
int64_t log_zeros(Tensor x) {
  const auto v = x.values<T>();
  return std::count(v.begin(), v.end(), -std::numeric_limits<T>::infinity());
}

// Counts -inf as finite.
Extremes without_log_zeros(Tensor x) {
  Extremes e = extremes_of(x);
  e.infinite -= x.dtype == DType::f64 ? log_zeros<double>(x) : log_zeros<float>(x);
  return e;
}

void include(const Extremes& more, Extremes& to) {
  to = {to.values + more.values, to.nan + more.nan, to.infinite + more.infinite, std::max(to.largest, more.largest)};
}

class ValueChecker final : public Decorator {
 public:
  ValueChecker(Backend& inner, std::function<void(const OpOutput&)> seen) : Decorator(inner), seen_(std::move(seen)) {}
  std::string name() const override { return inner_.name() + ", checked"; }

 private:
  void run(const Op& op, const Compute& compute) override {
    Extremes before;
    for (const OpTensor& t : op.tensors)
      if (t.tensor && t.read) include(extremes_of(OnHost(inner_, *t.tensor)), before);
    compute(inner_);
    for (const OpTensor& t : op.tensors) {
      if (!t.tensor || !t.output) continue;
      const OnHost here(inner_, *t.tensor);
      seen_({Scope::path(), op.name, t.output, here->shape, t.log_zero ? without_log_zeros(here) : extremes_of(here),
             before});
    }
  }

  std::function<void(const OpOutput&)> seen_;
};

}  // namespace

Extremes extremes_of(Tensor x) {
  Extremes e;
  if (x.dtype == DType::f32) look_at(x.data<float>(), x.shape, x.strides, 0, e);
  if (x.dtype == DType::f64) look_at(x.data<double>(), x.shape, x.strides, 0, e);
  return e;
}

std::unique_ptr<Backend> make_value_checker(Backend& inner, std::function<void(const OpOutput&)> seen) {
  return std::make_unique<ValueChecker>(inner, std::move(seen));
}

}  // namespace hexapla
