// LayerNorm, BatchNorm and sums over rows.
#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

constexpr int64_t kRowsOfASum = 128;  // rows that one work item adds

}  // namespace

void OpenclBackend::add_column_sums(Tensor d, Tensor normed, Tensor sum, Tensor along) {
  const Matrix all = matrix(d, "d");
  if (all.rows == 0 || !sum) return;
  const std::lock_guard lock(queue_.mutex());
  const int64_t blocks = (all.rows + kRowsOfASum - 1) / kRowsOfASum;
  const Scratch parts{queue_.scratch(static_cast<size_t>(2 * blocks * all.width) * size_of(d.dtype)).get()};
  queue_.launch("column_sums", d.dtype, element_groups(blocks, all.width), all, matrix(normed, "normed"), parts,
                all.rows, all.width, kRowsOfASum);
  queue_.launch("add_column_sums", d.dtype, element_groups(1, all.width), parts, sum, along, all.width, blocks);
}

void OpenclBackend::add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                             Tensor rstd) {
  add_norm_dropped(x, r, {}, gain, bias, eps, y, normed, rstd);
}

void OpenclBackend::add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps,
                                     Tensor y, Tensor normed, Tensor rstd) {
  const Matrix in = matrix(x, "x");
  queue_.launch("add_norm", x.dtype, in.rows, in, matrix(r, "r"), matrix(y, "y"), matrix(normed, "normed"), rstd, gain,
                bias, in.width, eps, mask);
}

void OpenclBackend::add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  add_norm_dropped_backward(normed, rstd, gain, {}, d, {}, dgain, dbias);
}

void OpenclBackend::add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d,
                                              Tensor dr, Tensor dgain, Tensor dbias) {
  add_column_sums(d, normed, dbias, dgain);
  const Matrix all = matrix(d, "d");
  queue_.launch("add_norm_backward", d.dtype, all.rows, matrix(normed, "normed"), all, matrix(dr, "dr"), rstd, gain,
                all.width, mask);
}

void OpenclBackend::batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                               Tensor rstd, Tensor mean, Tensor variance) {
  const Matrix in = matrix(x, "x");
  queue_.launch("batch_norm", x.dtype, in.width, in, matrix(r, "r"), matrix(y, "y"), matrix(normed, "normed"), rstd,
                mean, variance, gain, bias, in.rows, eps);
}

void OpenclBackend::batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  const Matrix all = matrix(d, "d");
  queue_.launch("batch_norm_backward", d.dtype, all.width, matrix(normed, "normed"), all, rstd, gain, dgain, dbias,
                all.rows);
}

void OpenclBackend::batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean,
                                         Tensor variance, Tensor y) {
  const Matrix in = matrix(x, "x");
  queue_.launch("batch_norm_inference", x.dtype, element_groups(in.rows, in.width), in, matrix(r, "r"), matrix(y, "y"),
                mean, variance, gain, bias, in.width, eps);
}

}  // namespace hexapla::opencl
