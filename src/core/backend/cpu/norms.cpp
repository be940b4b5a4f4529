#include <utility>

#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t kNormRows = 64;     // rows in one task, which have their own sums
constexpr int64_t kColumnChunk = 32;  // BatchNorm columns in one task

int64_t norm_rows_to_share(int64_t width) { return std::max<int64_t>(kNormRows, 16384 / std::max<int64_t>(1, width)); }

BatchNormColumns columns_from(BatchNormColumns n, int64_t from, int64_t width) {
  n.width = width;
  n.x += from;
  n.gain += from;
  n.bias += from;
  n.y += from;
  n.mean += from;
  n.variance += from;
  if (n.r) n.r += from;
  if (n.normed) n.normed += from;
  if (n.rstd) n.rstd += from;
  return n;
}

BatchNormColumns batch_norm_columns(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y) {
  const Matrix mx = matrix(x, "x"), mr = matrix(r, "r"), my = matrix(y, "y");
  BatchNormColumns n{};
  n.x = mx.p;
  n.r = mr.p;
  n.gain = vector_of(gain, "gain");
  n.bias = vector_of(bias, "bias");
  n.y = my.p;
  n.rows = mx.rows;
  n.width = mx.width;
  n.x_stride = mx.stride;
  n.r_stride = mr.stride;
  n.y_stride = my.stride;
  n.eps = static_cast<float>(eps);
  return n;
}

NormBackwardRows backward_rows(Tensor normed, Tensor rstd, Tensor gain, Tensor d) {
  const Matrix mn = matrix(normed, "normed"), md = matrix(d, "d");
  return {
      mn.p,     vector_of(rstd, "rstd"), vector_of(gain, "gain"), md.p, nullptr, nullptr, md.rows, md.width, mn.stride,
      md.stride};
}

}  // namespace

void CpuBackend::add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                          Tensor rstd) {
  const Matrix mx = matrix(x, "x"), mr = matrix(r, "r"), my = matrix(y, "y"), mn = matrix(normed, "normed");
  const float *g = vector_of(gain, "gain"), *b = vector_of(bias, "bias");
  float* deviations = vector_of(rstd, "rstd");
  in_chunks(mx.rows, norm_rows_to_share(mx.width), [&](int64_t from, int64_t count) {
    k_.add_norm({mx.row(from), mr.row_or_null(from), g, b, my.row(from), mn.row_or_null(from),
                 deviations ? deviations + from : nullptr, count, mx.width, mx.stride, mr.stride, my.stride, mn.stride,
                 static_cast<float>(eps)});
  });
}

// Each chunk of rows has its own sums for dgain and dbias, which are then added in order.
template <class F>
void CpuBackend::norm_backward(const NormBackwardRows& all, Tensor dgain, Tensor dbias, F rows) {
  const int64_t size = norm_rows_to_share(all.width), chunks = (all.rows + size - 1) / size;
  float* sums = thread_scratch(Slot::partial, 2 * chunks * all.width);
  in_chunks(all.rows, size, [&](int64_t from, int64_t count) {
    NormBackwardRows n = all;
    n.normed += from * n.normed_stride;
    n.rstd += from;
    n.d += from * n.d_stride;
    n.rows = count;
    n.dgain = sums + from / size * 2 * n.width;
    n.dbias = n.dgain + n.width;
    k_.fill(n.dgain, 0, 2 * n.width);
    rows(n, from);
  });
  if (dgain) k_.add_column_sums(sums, 2 * all.width, chunks, all.width, vector_of(dgain, "dgain"));
  if (dbias) k_.add_column_sums(sums + all.width, 2 * all.width, chunks, all.width, vector_of(dbias, "dbias"));
}

// Row by row, so that the dropped row is still in the L1 cache when it is added.
void CpuBackend::add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                                  Tensor normed, Tensor rstd) {
  if (!mask) return add_norm(x, r, gain, bias, eps, y, normed, rstd);
  const Matrix mx = matrix(x, "x"), mr = matrix(r, "r"), my = matrix(y, "y"), mn = matrix(normed, "normed");
  const float *g = vector_of(gain, "gain"), *b = vector_of(bias, "bias");
  float* deviations = vector_of(rstd, "rstd");
  const Dropout d = dropout_of(mask);
  in_chunks(mx.rows, norm_rows_to_share(mx.width), [&](int64_t from, int64_t count) {
    for (int64_t i = from; i < from + count; ++i) {
      k_.dropout_row(d, static_cast<uint32_t>(i), mr.row(i), mn.row(i), mx.width);
      k_.add_norm({mx.row(i), mn.row(i), g, b, my.row(i), mn.row(i), deviations + i, 1, mx.width, 0, 0, 0, 0,
                   static_cast<float>(eps)});
    }
  });
}

void CpuBackend::add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  norm_backward(backward_rows(normed, rstd, gain, d), dgain, dbias,
                [&](const NormBackwardRows& n, int64_t) { k_.add_norm_backward(n); });
}

void CpuBackend::add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d,
                                           Tensor dr, Tensor dgain, Tensor dbias) {
  const Dropout dropped = dropout_of(mask);
  const Matrix out = matrix(dr, "dr");
  norm_backward(backward_rows(normed, rstd, gain, d), dgain, dbias, [&](NormBackwardRows n, int64_t from) {
    const int64_t rows = std::exchange(n.rows, 1);
    for (int64_t i = from; i < from + rows; ++i, n.normed += n.normed_stride, n.d += n.d_stride, ++n.rstd) {
      k_.add_norm_backward(n);
      k_.dropout_row(dropped, static_cast<uint32_t>(i), n.d, out.row(i), n.width);
    }
  });
}

void CpuBackend::batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                            Tensor rstd, Tensor mean, Tensor variance) {
  BatchNormColumns all = batch_norm_columns(x, r, gain, bias, eps, y);
  const Matrix mn = matrix(normed, "normed");
  all.normed = mn.p;
  all.normed_stride = mn.stride;
  all.rstd = vector_of(rstd, "rstd");
  all.mean = vector_of(mean, "mean");
  all.variance = vector_of(variance, "variance");
  in_chunks(all.width, kColumnChunk,
            [&](int64_t from, int64_t width) { k_.batch_norm(columns_from(all, from, width)); });
}

void CpuBackend::batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) {
  NormBackwardRows all = backward_rows(normed, rstd, gain, d);
  all.dgain = vector_of(dgain, "dgain");
  all.dbias = vector_of(dbias, "dbias");
  in_chunks(all.width, kColumnChunk, [&](int64_t from, int64_t width) {
    NormBackwardRows n = all;
    n.width = width;
    n.normed += from;
    n.rstd += from;
    n.gain += from;
    n.d += from;
    if (n.dgain) n.dgain += from;
    if (n.dbias) n.dbias += from;
    k_.batch_norm_backward(n);
  });
}

void CpuBackend::batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean,
                                      Tensor variance, Tensor y) {
  BatchNormColumns all = batch_norm_columns(x, r, gain, bias, eps, y);
  all.mean = vector_of(mean, "mean");
  all.variance = vector_of(variance, "variance");
  in_chunks(all.width, kColumnChunk,
            [&](int64_t from, int64_t width) { k_.batch_norm_inference(columns_from(all, from, width)); });
}

}  // namespace hexapla::cpu
