#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// Statistics of a tensor: how many values are not finite, and the largest magnitude of the finite
// ones.
struct Extremes {
  int64_t values = 0, nan = 0, infinite = 0;
  double largest = 0;
  bool bad() const { return nan + infinite > 0; }
};
Extremes extremes_of(Tensor x);  // integers: never bad

// One output of an op, when the op has returned.
struct OpOutput {
  std::string scope;   // in the model: "encoder.layers.0.self_attention"
  std::string op;      // "linear"
  std::string output;  // its name in backend.h: "y"
  Shape shape;
  Extremes found;
  Extremes inputs;  // of everything that the op read, before it ran
};

// A backend that computes the same bits as `inner` and reports every output of every op to `seen`,
// in order. Slow: it checks every number before and after each op. inner must outlive it; ops must
// come from one thread.
std::unique_ptr<Backend> make_value_checker(Backend& inner, std::function<void(const OpOutput&)> seen);

}  // namespace hexapla
