#include <cmath>

#include "backend/reference/internal.h"

namespace hexapla::reference {

void Reference::adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& s) {
  Rows value = load(p), gradient = load(g), first = load(m), second = load(v);
  const double correct1 = 1 - std::pow(s.beta1, static_cast<double>(s.step));
  const double correct2 = 1 - std::pow(s.beta2, static_cast<double>(s.step));
  for (size_t i = 0; i < value.values.size(); ++i) {
    const double d = gradient.values[i] * s.grad_scale;
    double &m1 = first.values[i], &m2 = second.values[i];
    m1 = s.beta1 * m1 + (1 - s.beta1) * d;
    m2 = s.beta2 * m2 + (1 - s.beta2) * d * d;
    value.values[i] *= 1 - s.lr * s.weight_decay;
    value.values[i] -= s.lr * (m1 / correct1) / (std::sqrt(m2 / correct2) + s.eps);
  }
  store(value, p);
  store(first, m);
  store(second, v);
}

double Reference::sum_of_squares(Tensor x) {
  double sum = 0;
  for (const double v : load(x).values) sum += v * v;
  return sum;
}

}  // namespace hexapla::reference
