// Element-wise ops and row lookups.
#include <cmath>
#include <numbers>

#include "backend/reference/internal.h"

namespace hexapla::reference {
namespace {

// 2 u of the tanh approximation of GELU (Hendrycks and Gimpel 2016), where (1 + tanh(u)) / 2 is
// sigmoid(2 u).
double twice_of_tanh(double x) { return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double value(Activation f, double x) {
  switch (f) {
    case Activation::relu:
      return x < 0 ? 0 : x;  // NaN stays NaN
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
    case Activation::swish:
      return x / (1 + std::exp(-x));
    case Activation::gelu_tanh:
      return x * sigmoid(twice_of_tanh(x));
  }
  fail("no such activation");
}

double derivative(Activation f, double x) {
  switch (f) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::gelu: {
      const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
      return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * density;
    }
    case Activation::swish: {
      const double s = sigmoid(x);
      return s + x * s * (1 - s);
    }
    case Activation::gelu_tanh: {
      const double s = sigmoid(twice_of_tanh(x)), slope = 2 * std::sqrt(2 / std::numbers::pi) * (1 + 0.134145 * x * x);
      return s + x * s * (1 - s) * slope;
    }
  }
  fail("no such activation");
}

// y = f(a, b), element by element.
template <class F>
void apply(Rows a, const Rows& b, Tensor y, F&& f) {
  for (size_t i = 0; i < a.values.size(); ++i) a.values[i] = f(a.values[i], b.values[i]);
  store(a, y);
}

}  // namespace

void Reference::fill(Tensor x, double value) {
  Rows y(x);
  for (double& v : y.values) v = value;
  store(y, x);
}

void Reference::add(Tensor a, Tensor b, Tensor y) {
  apply(load(a), load(b), y, [](double u, double v) { return u + v; });
}

void Reference::multiply(Tensor a, Tensor b, Tensor y) {
  apply(load(a), load(b), y, [](double u, double v) { return u * v; });
}

void Reference::combine(double a, Tensor x, double b, Tensor y) {
  apply(load(x), load(y), y, [=](double u, double v) { return b == 0 ? a * u : a * u + b * v; });
}

void Reference::activate(Activation f, Tensor x, Tensor y) {
  Rows rows = load(x);
  for (double& v : rows.values) v = value(f, v);
  store(rows, y);
}

void Reference::activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) {
  apply(load(x), load(dy), dx, [f](double u, double d) { return derivative(f, u) * d; });
}

void Reference::dropout(Tensor x, DropoutMask mask, Tensor y) {
  Rows rows = load(x);
  for (int64_t r = 0; r < rows.rows; ++r)
    for (int64_t c = 0; c < rows.width; ++c) {
      const double factor = dropout_factor(mask, r, c);
      rows[r][c] = factor == 0 ? 0 : rows[r][c] * factor;
    }
  store(rows, y);
}

void Reference::activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) {
  activate(f, x, y);
  dropout(y, mask, y);
}

void Reference::activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) {
  dropout(dy, mask, dx);
  activate_backward(f, x, dx, dx);
}

void Reference::embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) {
  const Rows id = load(ids);
  Rows out(y);
  for (int64_t n = 0; n < out.rows; ++n)
    axpy(scale, load(table.slice(static_cast<int64_t>(id[0][n]), 1))[0], out[n], out.width);
  if (how == Write::add)
    add_to(out, y);
  else
    store(out, y);
}

void Reference::embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) {
  const Rows d = load(dy), id = load(ids);
  Rows sum(dtable);
  for (int64_t n = 0; n < d.rows; ++n) axpy(scale, d[n], sum[static_cast<int64_t>(id[0][n])], d.width);
  add_to(sum, dtable);
}

void Reference::put_rows(Tensor x, Tensor ids, Tensor y) {
  const Rows in = load(x), id = load(ids);
  Rows all = load(y);
  for (int64_t n = 0; n < in.rows; ++n) std::copy_n(in[n], in.width, all[static_cast<int64_t>(id[0][n])]);
  store(all, y);
}

void Reference::sinusoids(Sinusoids kind, Tensor table) {
  Rows t(table);
  for (int64_t p = 0; p < t.rows; ++p)
    for (int64_t j = 0; j < t.width; ++j) {
      const Wave wave = wave_of(kind, j, t.width);
      const double angle = static_cast<double>(p) / wave.divisor;
      t[p][j] = wave.sine ? std::sin(angle) : std::cos(angle);
    }
  store(t, table);
}

}  // namespace hexapla::reference
