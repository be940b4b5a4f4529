// LayerNorm normalizes rows, BatchNorm columns: the latter is the former of the transposed matrix.
#include <cmath>

#include "backend/reference/internal.h"

namespace hexapla::reference {
namespace {

Rows sum(Tensor x, Tensor r) {
  Rows s = load(x);
  if (r) axpy(1, load(r)[0], s[0], s.rows * s.width);
  return s;
}

struct Statistics {
  std::vector<double> mean, variance, rstd;  // one per row
};

// (x - mean) / sqrt(variance + eps) for every row, in place.
Statistics normalize(Rows& x, double eps) {
  Statistics s;
  const double n = static_cast<double>(x.width);
  for (int64_t r = 0; r < x.rows; ++r) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < x.width; ++i) mean += x[r][i] / n;
    for (int64_t i = 0; i < x.width; ++i) variance += (x[r][i] - mean) * (x[r][i] - mean) / n;
    const double rstd = 1 / std::sqrt(variance + eps);
    for (int64_t i = 0; i < x.width; ++i) x[r][i] = (x[r][i] - mean) * rstd;
    s.mean.push_back(mean);
    s.variance.push_back(variance);
    s.rstd.push_back(rstd);
  }
  return s;
}

// g <- J^T g for every row, where g is the gradient of normed = normalize(x).
void normalize_backward(const Rows& normed, const Rows& rstd, Rows& g) {
  const double n = static_cast<double>(g.width);
  for (int64_t r = 0; r < g.rows; ++r) {
    double mean = 0, along = 0;
    for (int64_t i = 0; i < g.width; ++i) mean += g[r][i] / n;
    for (int64_t i = 0; i < g.width; ++i) along += g[r][i] * normed[r][i] / n;
    for (int64_t i = 0; i < g.width; ++i) g[r][i] = (g[r][i] - mean - normed[r][i] * along) * rstd[0][r];
  }
}

// gain x + bias for every row.
Rows affine(Rows x, const Rows& gain, const Rows& bias) {
  for (int64_t r = 0; r < x.rows; ++r)
    for (int64_t i = 0; i < x.width; ++i) x[r][i] = gain[0][i] * x[r][i] + bias[0][i];
  return x;
}

// dgain += sum of d * normed, dbias += sum of d; d <- gain * d.
void affine_backward(const Rows& normed, const Rows& gain, Rows& d, Tensor dgain, Tensor dbias) {
  Rows along = d;
  for (size_t i = 0; i < along.values.size(); ++i) along.values[i] *= normed.values[i];
  add_to(sum_of_rows(along), dgain);
  add_to(sum_of_rows(d), dbias);
  for (int64_t r = 0; r < d.rows; ++r)
    for (int64_t i = 0; i < d.width; ++i) d[r][i] *= gain[0][i];
}

void store_vector(const std::vector<double>& v, Tensor t) {
  Rows rows(1, std::ssize(v));
  rows.values = v;
  store(rows, t);
}

}  // namespace

void Reference::add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                         Tensor rstd) {
  Rows s = sum(x, r);
  store_vector(normalize(s, eps).rstd, rstd);
  store(s, normed);
  store(affine(s, load(gain), load(bias)), y);
}

void Reference::add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  const Rows h = load(normed);
  Rows g = load(d);
  affine_backward(h, load(gain), g, dgain, dbias);
  normalize_backward(h, load(rstd), g);
  store(g, d);
}

void Reference::add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                                 Tensor normed, Tensor rstd) {
  dropout(r, mask, r);
  add_norm(x, r, gain, bias, eps, y, normed, rstd);
}

void Reference::add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d,
                                          Tensor dr, Tensor dgain, Tensor dbias) {
  add_norm_backward(normed, rstd, gain, d, dgain, dbias);
  dropout(d, mask, dr);
}

void Reference::batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                           Tensor rstd, Tensor mean, Tensor variance) {
  Rows columns = transpose(sum(x, r));
  const Statistics s = normalize(columns, eps);
  store_vector(s.rstd, rstd);
  store_vector(s.mean, mean);
  store_vector(s.variance, variance);
  const Rows h = transpose(columns);
  store(h, normed);
  store(affine(h, load(gain), load(bias)), y);
}

void Reference::batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  const Rows h = load(normed);
  Rows g = load(d);
  affine_backward(h, load(gain), g, dgain, dbias);
  Rows columns = transpose(g);
  normalize_backward(transpose(h), load(rstd), columns);
  store(transpose(columns), d);
}

void Reference::batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean,
                                     Tensor variance, Tensor y) {
  Rows s = sum(x, r);
  const Rows m = load(mean), v = load(variance);
  for (int64_t n = 0; n < s.rows; ++n)
    for (int64_t i = 0; i < s.width; ++i) s[n][i] = (s[n][i] - m[0][i]) / std::sqrt(v[0][i] + eps);
  store(affine(s, load(gain), load(bias)), y);
}

}  // namespace hexapla::reference
