#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace hexapla {

// What a tensor holds: how many values are not finite, and the largest magnitude of those that are.
struct Extremes {
  int64_t values = 0, nan = 0, infinite = 0;
  double largest = 0;
  bool bad() const { return nan + infinite > 0; }
};
Extremes extremes_of(Tensor x);  // integers: never bad

// One output of one op, as it stood when the op had returned.
struct OpOutput {
  std::string scope;   // in the model: "encoder.layers.0.self_attention"
  std::string op;      // "linear"
  std::string output;  // its name in backend.h: "y"
  Shape shape;
  Extremes found;
  Extremes inputs;  // of everything that the op read, before it ran
};

// A backend that does everything as `inner` does, to the same bits, and shows every op's outputs to `seen`, in order.
// Slow: it looks at every number before and after each op. inner must outlive it; ops must come from one thread.
std::unique_ptr<Backend> make_value_checker(Backend& inner, std::function<void(const OpOutput&)> seen);

}  // namespace hexapla
