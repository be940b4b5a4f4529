#include "model/checks/gradient_check.h"

#include <algorithm>

namespace hexapla::model {
namespace {

double difference(double& x, double h, const std::function<double()>& loss) {
  const double here = x;
  auto at = [&](double dx) {
    x = here + dx;
    return loss();
  };
  const double d = (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h);
  x = here;
  return d;
}

}  // namespace

GradientReport check_gradients(std::span<const Checked> tensors, const std::function<double()>& loss) {
  GradientReport report;
  for (const Checked& t : tensors) {
    // loss() may run the backward pass or share memory with the gradients, so copy them first.
    const std::vector<double> analytic(t.gradient.values<double>().begin(), t.gradient.values<double>().end());
    double largest = 0;
    for (double g : analytic) largest = std::max(largest, std::abs(g));
    for (size_t i = 0; i < analytic.size(); ++i) {
      double error = 0, numeric = 0;
      for (double h : {1e-4, 1e-5, 2e-6}) {
        const double n = difference(t.value.values<double>()[i], h, loss);
        const double e =
            std::abs(n - analytic[i]) / std::max({std::abs(n), std::abs(analytic[i]), 0.01 * largest, 1e-3});
        if (h == 1e-4 || !(e >= error)) error = e, numeric = n;
        if (error <= 1e-8) break;
      }
      ++report.checked;
      if (error <= report.worst) continue;
      report.worst = error;
      report.where = cat(t.name, "[", i, "]: analytic ", analytic[i], ", numeric ", numeric);
    }
  }
  return report;
}

}  // namespace hexapla::model
