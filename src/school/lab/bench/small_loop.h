#pragma once
// Training updates for experiments with loops of their own: Adam in f32 on small models.
#include <memory>

#include "backend/cpu/cpu.h"
#include "lab/experiment.h"
#include "model/parameters/parameters.h"
#include "ops/ops.h"

namespace hexapla::lab {

class SmallLoop {
 public:
  static constexpr int64_t kWarmup = 100;
  static constexpr double kLr = 2e-3;  // peak, followed by inverse square root decay

  // Allocates the module's memory and initializes it from the seed. Borrows the module.
  template <class Module>
  SmallLoop(Module& module, uint64_t seed) : SmallLoop(model::leaves_of(module)) {
    model::initialize(module, seed);
  }

  // Context for a training pass; zeroes the gradients.
  Context& begin();
  void update(int64_t step);  // 1 at the first
  // Context for a pass without dropout.
  Context& look();

 private:
  explicit SmallLoop(const model::Leaves& module);

  model::Parameters parameters_;
  Tensor first_, second_;
  std::unique_ptr<Backend> backend_;
  Arena arena_{size_t{256} << 20};
  Context cx_;
};

// Throws Canceled if the watcher stops the experiment.
void go_on(const Watcher& watcher);

}  // namespace hexapla::lab
