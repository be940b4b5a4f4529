#pragma once
// The reference converts every tensor to f64, computes in f64 and rounds once on storing. So it is
// the most accurate backend for f32, too, and only rows.cpp deals with types and strides.
#include <cstdint>
#include <vector>

#include "backend/backend.h"

namespace hexapla::reference {

// A tensor as [rows, width] in f64: width is its last dimension, rows the product of the others.
struct Rows {
  int64_t rows = 0, width = 0;
  std::vector<double> values;

  Rows() = default;
  Rows(int64_t n, int64_t d) : rows(n), width(d), values(static_cast<size_t>(n * d), 0.0) {}
  explicit Rows(const Tensor& like) : Rows(like.rows(), like.shape[-1]) {}
  double* operator[](int64_t row) { return values.data() + row * width; }
  const double* operator[](int64_t row) const { return values.data() + row * width; }
  explicit operator bool() const { return width > 0; }
};

// Any strides; f32, f64 or i32. An empty tensor gives no rows.
Rows load(Tensor t);
// Rounds to the type of t.
void store(const Rows& x, Tensor t);
// t += x, rounded once. Does nothing if t is empty.
void add_to(const Rows& x, Tensor t);

double dot(const double* a, const double* b, int64_t n);
void axpy(double a, const double* x, double* y, int64_t n);  // y += a x
Rows product(const Rows& x, const Rows& w, const Rows& b);   // x w + b; b may be empty
Rows transpose(const Rows& x);
Rows sum_of_rows(const Rows& x);  // [1, width]

// The factor that a DropoutMask applies to an element: 0 or 1 / (1 - p); 1 without a mask.
double dropout_factor(const DropoutMask& mask, int64_t row, int64_t column);

class Reference final : public Backend {
 public:
  std::string name() const override { return "reference"; }
  bool supports(DType t) const override { return t == DType::f32 || t == DType::f64; }

#include "backend/overrides.inc"  // every op
};

}  // namespace hexapla::reference
