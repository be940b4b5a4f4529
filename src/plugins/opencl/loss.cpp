// The output layer: products, softmax and loss by tiles of rows, and what search needs.
#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

// Calls f(first row, count) for each tile.
template <class F>
void each_tile(int64_t rows, int64_t height, F f) {
  HEXAPLA_CHECK(height > 0 || rows == 0, "the tile holds no row");
  for (int64_t from = 0; from < rows; from += height) f(from, std::min(height, rows - from));
}

// A small tile leaves most of a GPU idle: the product of 128 rows of logits with w^T has a few groups, each
// of which adds up all classes.
constexpr int64_t kRowsOfATile = 4096;

}  // namespace

Tensor OpenclBackend::wide_tile(const LossInput& in, Tensor tile) {
  const int64_t rows = std::min(in.x.shape[0], kRowsOfATile), classes = tile.shape[1];
  if (rows <= tile.shape[0]) return tile;
  const size_t bytes = static_cast<size_t>(rows * classes) * size_of(tile.dtype);
  try {
    if (loss_tile_.size() < bytes) loss_tile_ = allocate(bytes);
  } catch (const RunError&) {  // no memory for more than the given one
    return tile;
  }
  return Tensor(loss_tile_.data(), {rows, classes}, tile.dtype);
}

void OpenclBackend::cross_entropy(const LossInput& in, Tensor given, Tensor loss, Tensor nll) {
  const std::lock_guard lock(queue_.mutex());  // of the tile
  const Tensor tile = wide_tile(in, given);
  each_tile(in.x.shape[0], tile.shape[0], [&](int64_t from, int64_t count) {
    const Tensor logits = tile.slice(0, count);
    linear(in.x.slice(from, count), in.w, in.b, logits);
    queue_.launch("cross_entropy", in.x.dtype, count, matrix(logits, "tile"), in.labels, loss, nll, from,
                  logits.shape[1], in.smoothing, in.scale, false);
  });
}

void OpenclBackend::cross_entropy_with_gradient(const LossInput& in, Tensor given, Tensor loss, Tensor nll, Tensor dx,
                                                Tensor dw, Tensor db) {
  const std::lock_guard lock(queue_.mutex());  // of the tile
  const Tensor tile = wide_tile(in, given);
  each_tile(in.x.shape[0], tile.shape[0], [&](int64_t from, int64_t count) {
    const Tensor logits = tile.slice(0, count);
    linear(in.x.slice(from, count), in.w, in.b, logits);
    queue_.launch("cross_entropy", in.x.dtype, count, matrix(logits, "tile"), in.labels, loss, nll, from,
                  logits.shape[1], in.smoothing, in.scale, true);
    linear_backward_input(logits, in.w.values, dx.slice(from, count), Write::set);
    linear_backward_weight(in.x.slice(from, count), logits, dw, db);
  });
}

void OpenclBackend::log_softmax(Tensor x, Tensor y) {
  const Matrix in = matrix(x, "x");
  queue_.launch("log_softmax", x.dtype, in.rows, in, matrix(y, "y"), in.width);
}

void OpenclBackend::log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) {
  const Matrix in = matrix(x, "x");
  HEXAPLA_CHECK(k > 0 && k <= in.width, "the best ", k, " of ", in.width, " cannot be had");
  queue_.launch("log_softmax_top", x.dtype, in.rows, in, matrix(scores, "scores"), ids, ids.strides[0], in.width, k);
}

// One upload: of each row the start and the length of its list, and then the lists.
void OpenclBackend::linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) {
  const Matrix in = matrix(x, "x"), out = matrix(y, "y");
  const auto rows = static_cast<size_t>(in.rows);
  std::vector<int32_t> sent(2 * rows);
  for (size_t s = 0; s + 1 < lists.rows.size(); ++s) {
    const auto start = static_cast<int32_t>(sent.size() - 2 * rows);
    for (auto n = static_cast<size_t>(lists.rows[s]); n < static_cast<size_t>(lists.rows[s + 1]); ++n) {
      sent[n] = start;
      sent[rows + n] = static_cast<int32_t>(lists.ids[s].size());
    }
    sent.insert(sent.end(), lists.ids[s].begin(), lists.ids[s].end());
  }
  const std::lock_guard lock(queue_.mutex());
  const Uploaded starts = queue_.upload(sent);
  const Uploaded counts{starts.buffer, starts.first + rows}, listed{starts.buffer, starts.first + 2 * rows};
  const Tensor columns = table.integers ? Tensor() : table.w.values.transposed();
  Matrix of_columns = matrix(columns, "the output table");
  if (table.integers) of_columns.stride = table.integers.strides[0];
  queue_.launch("linear_selected", x.dtype, element_groups(in.rows, out.width), in, of_columns, table.integers,
                table.scales, table.bias, starts, counts, listed, out, out.width, in.width, Local{in.width});
}

}  // namespace hexapla::opencl
