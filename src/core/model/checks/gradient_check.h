#pragma once
// Compares analytic gradients with finite differences in f64.
#include <functional>
#include <span>
#include <string>

#include "model/parameters/parameters.h"

namespace hexapla::model {

// A tensor that the loss depends on, with its gradient from a backward pass. Both f64, contiguous.
struct Checked {
  std::string name;
  Tensor value, gradient;
};

struct GradientReport {
  double worst = 0;     // worst relative error
  std::string where;    // "encoder.layers.0.self_attention.qkv.weight[17]: analytic 0.25, numeric 0.24"
  int64_t checked = 0;  // number of elements
};

// loss() runs the forward pass with the current values. The numeric derivative is the four-point
// central difference (f(x-2h) - 8 f(x-h) + 8 f(x+h) - f(x+2h)) / 12 h with h = 1e-4; if that
// disagrees, smaller steps are tried, so that a kink of max(0, .) within 2h is not mistaken for a
// wrong derivative. The error is relative to the larger of the two values, but at least to a
// hundredth of the tensor's largest gradient (for an element that is nearly zero, a difference
// quotient has no relative accuracy), and at least to 1e-3 (for a gradient that is exactly zero,
// only rounding of the loss itself would be measured, about 1e-16 |loss| / h).
GradientReport check_gradients(std::span<const Checked> tensors, const std::function<double()>& loss);

// The parameters of a module, by name.
template <class Module>
std::vector<Checked> checked_parameters(Module& module) {
  std::vector<Checked> all;
  for_each<Parameter>(module, [&](const std::string& name, Parameter& p) { all.push_back({name, p.value, p.grad}); });
  return all;
}

}  // namespace hexapla::model
