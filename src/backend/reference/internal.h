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

  void fill(Tensor x, double value) override;
  void add(Tensor a, Tensor b, Tensor y) override;
  void combine(double a, Tensor x, double b, Tensor y) override;
  void multiply(Tensor a, Tensor b, Tensor y) override;
  void activate(Activation f, Tensor x, Tensor y) override;
  void activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) override;
  void dropout(Tensor x, DropoutMask mask, Tensor y) override;
  void activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) override;
  void activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) override;

  std::unique_ptr<PackedWeight> pack_quantized(Tensor integers, Tensor scales) override;
  void linear(Tensor x, const Weight& w, Tensor b, Tensor y) override;
  void linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) override;
  void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) override;
  void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) override;

  void add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                Tensor rstd) override;
  void add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override;
  void add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                        Tensor normed, Tensor rstd) override;
  void add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d, Tensor dr,
                                 Tensor dgain, Tensor dbias) override;
  void batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed, Tensor rstd,
                  Tensor mean, Tensor variance) override;
  void batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override;
  void batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean, Tensor variance,
                            Tensor y) override;

  void embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) override;
  void embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) override;
  void put_rows(Tensor x, Tensor ids, Tensor y) override;
  void sinusoids(Sinusoids kind, Tensor table) override;

  void attention(const AttentionInput& a, Tensor out, Tensor lse) override;
  void attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                          Tensor dv) override;
  void additive_attention(const AttentionInput& a, Tensor out, Tensor lse) override;
  void additive_attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                                   Tensor dv, Tensor dw) override;
  void alignment_loss(const AlignmentInput& a, Tensor loss) override;
  void alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) override;
  void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) override;
  void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                               Tensor out) override;

  void cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) override;
  void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                   Tensor db) override;
  void log_softmax(Tensor x, Tensor y) override;
  void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) override;

  void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) override;
  double sum_of_squares(Tensor x) override;
};

}  // namespace hexapla::reference
