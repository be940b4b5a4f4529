// The output layer: products, softmax and loss, by tiles of rows.
#include <limits>

#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t kRowsOfAThread = 64;

int64_t loss_rows_to_share(int64_t width) { return std::max<int64_t>(1, 32768 / std::max<int64_t>(1, width)); }

struct Losses {
  const int32_t* labels;
  float *loss, *nll;
};

Losses losses(const LossInput& in, Tensor loss, Tensor nll) {
  HEXAPLA_CHECK(in.labels.contiguous(), "labels ", in.labels.shape, " have gaps");
  const int32_t* labels = in.labels.data<int32_t>();
  for (int64_t n = 0; n < in.labels.size(); ++n)
    HEXAPLA_CHECK(labels[n] >= 0 && labels[n] < in.w.shape()[1], "label ", labels[n], " of row ", n,
                  " is not one of the ", in.w.shape()[1], " classes");
  return {labels, vector_of(loss, "loss"), vector_of(nll, "nll")};
}

using LossKernel = void (*)(const LossRows&);

void run_loss(LossKernel kernel, const LossInput& in, const Losses& l, const Matrix& logits, int64_t first) {
  in_chunks(logits.rows, loss_rows_to_share(logits.width), [&](int64_t from, int64_t count) {
    const int64_t row = first + from;
    kernel({logits.row(from), l.labels + row, l.loss + row, l.nll + row, count, logits.width, logits.stride,
            static_cast<float>(in.smoothing), static_cast<float>(in.scale)});
  });
}

// Calls f(first row, count) for each tile.
template <class F>
void each_tile(int64_t rows, int64_t height, F f) {
  HEXAPLA_CHECK(height > 0 || rows == 0, "the tile holds no row");
  for (int64_t from = 0; from < rows; from += height) f(from, std::min(height, rows - from));
}

// Kernel arguments for selected columns of an output layer.
SelectedColumns of_table(const OutputTable& table, const Matrix& x) {
  SelectedColumns s{.x = x.p, .x_stride = x.stride, .d = x.width, .bias = vector_of(table.bias, "bias")};
  if (!table.integers) {
    s.table = table.w.values.data<float>();
    return s;
  }
  s.integers = table.integers.data<int8_t>();
  s.scales = vector_of(table.scales, "scales");
  return s;
}

}  // namespace

// A task is some columns of one sequence.
void CpuBackend::linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) {
  constexpr int64_t columns_of_a_task = 512;
  const Matrix in = matrix(x, "x"), out = matrix(y, "y");
  const SelectedColumns all = of_table(table, in);
  const int64_t parts = (out.width + columns_of_a_task - 1) / columns_of_a_task;
  parallel_for(parts * std::ssize(lists.ids), [&](int64_t i) {
    const auto s = static_cast<size_t>(i / parts);
    const int64_t first = lists.rows[s], begin = i % parts * columns_of_a_task;
    const int64_t end = std::min(out.width, begin + columns_of_a_task);
    const auto listed = std::ssize(lists.ids[s]);
    SelectedColumns some = all;
    some.x = in.row(first);
    some.rows = lists.rows[s + 1] - first;
    some.count = std::clamp<int64_t>(listed - begin, 0, end - begin);
    some.ids = some.count > 0 ? lists.ids[s].data() + begin : nullptr;
    some.y = out.row(first) + begin;
    some.y_stride = out.stride;
    if (some.rows > 0 && some.count > 0) k_.linear_selected(some);
    for (int64_t n = 0; n < some.rows; ++n)
      std::fill(out.row(first + n) + begin + some.count, out.row(first + n) + end,
                -std::numeric_limits<float>::infinity());
  });
}

void CpuBackend::cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) {
  const Losses l = losses(in, loss, nll);
  each_tile(in.x.shape[0], tile.shape[0], [&](int64_t from, int64_t count) {
    const Tensor logits = tile.slice(0, count);
    linear(in.x.slice(from, count), in.w, in.b, logits);
    run_loss(k_.loss, in, l, matrix(logits, "tile"), from);
  });
}

// A task takes its rows of a tile through all steps but the last, so that it reads what it has just
// written.
void CpuBackend::cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx,
                                             Tensor dw, Tensor db) {
  const Losses l = losses(in, loss, nll);
  const Tensor w_transposed = in.w.values.transposed();
  pack(in.w.values, output_);
  pack(w_transposed, output_transposed_);
  const Weight w(in.w.values, output_.get()), transposed(w_transposed, output_transposed_.get());
  each_tile(in.x.shape[0], tile.shape[0], [&](int64_t from, int64_t count) {
    const Tensor logits = tile.slice(0, count);
    in_chunks(count, kRowsOfAThread, [&](int64_t at, int64_t n) {
      const Tensor own = logits.slice(at, n);
      linear(in.x.slice(from + at, n), w, in.b, own);
      run_loss(k_.loss_gradient, in, l, matrix(own, "tile"), from + at);
      linear(own, transposed, {}, dx.slice(from + at, n));
    });
    linear_backward_weight(in.x.slice(from, count), logits, dw, db);
  });
}

void CpuBackend::log_softmax(Tensor x, Tensor y) {
  const Matrix mx = matrix(x, "x"), my = matrix(y, "y");
  in_chunks(mx.rows, loss_rows_to_share(mx.width), [&](int64_t from, int64_t count) {
    for (int64_t row = from; row < from + count; ++row) k_.log_softmax(mx.row(row), my.row(row), mx.width);
  });
}

void CpuBackend::log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) {
  const Matrix mx = matrix(x, "x"), best = matrix(scores, "scores");
  HEXAPLA_CHECK(k > 0 && k <= mx.width, "the best ", k, " of ", mx.width, " cannot be had");
  int32_t* id = ids.data<int32_t>();
  const int64_t id_stride = ids.strides[0];
  in_chunks(mx.rows, loss_rows_to_share(mx.width), [&](int64_t from, int64_t count) {
    k_.log_softmax_top(
        {mx.row(from), best.row(from), id + from * id_stride, count, mx.width, mx.stride, k, best.stride, id_stride});
  });
}

}  // namespace hexapla::cpu
