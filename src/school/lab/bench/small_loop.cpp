#include "lab/bench/small_loop.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hexapla::lab {

SmallLoop::SmallLoop(const model::Leaves& module)
    : parameters_(module, DType::f32, model::Parameters::Use::training),
      first_(parameters_.slab_like_values()),
      second_(parameters_.slab_like_values()),
      backend_(make_cpu_backend(Precision::f32)),
      cx_{*backend_, arena_, DType::f32} {}

Context& SmallLoop::begin() {
  arena_.clear();
  cx_.training = true;
  cx_.backend.fill(parameters_.gradients(), 0);
  return cx_;
}

void SmallLoop::update(int64_t step) {
  const double s = static_cast<double>(step), w = kWarmup;
  adam(cx_, {parameters_.values(), parameters_.gradients(), first_, second_},
       {kLr * std::min(s / w, std::sqrt(w / s)), 0.9, 0.98, 1e-9, step, 1});
}

Context& SmallLoop::look() {
  arena_.clear();
  cx_.training = false;
  return cx_;
}

void go_on(const Watcher& watcher) {
  if (watcher.stop().load()) throw Canceled("stopped; what is finished is kept");
}

}  // namespace hexapla::lab
