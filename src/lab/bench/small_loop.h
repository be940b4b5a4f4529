#pragma once
// The updates of experiments that train in a way of their own: Adam in f32 on small models.
#include <memory>

#include "backend/cpu/cpu.h"
#include "lab/experiment.h"
#include "model/weights/parameters.h"
#include "ops/ops.h"

namespace hexapla::lab {

class SmallLoop {
 public:
  static constexpr int64_t warmup = 100;
  static constexpr double lr = 2e-3;  // peak; after it the inverse square root

  // Gives the module its memory and, from the seed, its starting values. Borrows it.
  template <class Module>
  SmallLoop(Module& module, uint64_t seed) : SmallLoop(model::leaves_of(module)) {
    model::initialize(module, seed);
  }

  // Where a batch passes in training; its gradients begin at zero.
  Context& begin();
  void update(int64_t step);  // 1 at the first
  // Where one passes without dropout.
  Context& look();

 private:
  explicit SmallLoop(const model::Leaves& module);

  model::Parameters parameters_;
  Tensor first_, second_;
  std::unique_ptr<Backend> backend_;
  Arena arena_{size_t{256} << 20};
  Context cx_;
};

// Canceled where the watcher stops it.
void go_on(const Watcher& watcher);

}  // namespace hexapla::lab
