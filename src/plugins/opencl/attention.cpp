// Attention by tiles, the steps of decoding, guided alignment.
#include <algorithm>

#include "opencl/opencl_backend.h"

namespace hexapla::opencl {
namespace {

constexpr int64_t kLargestTile = 16;

// Numbers of local memory, by the layouts of kernels/attention.cl, which the largest kernel needs.
int64_t local_numbers(int64_t tile, int64_t dk, int64_t dv) {
  return tile * (3 * dk + 3 * dv + 4) + 2 * tile * tile + 3 * tile;
}

// Rows of a tile: as many as fit, by the widths alone, so that a sequence's bits depend on nothing else.
int64_t tile_of(const Device& device, DType type, int64_t dk, int64_t dv) {
  constexpr size_t of_the_driver = 2048;  // bytes that some drivers use themselves
  for (int64_t tile = kLargestTile; tile > 0; tile /= 2)
    if (static_cast<size_t>(local_numbers(tile, dk, dv)) * size_of(type) + of_the_driver <= device.local_memory())
      return tile;
  throw UsageError(cat("heads of widths ", dk, " and ", dv, " are too wide for the OpenCL device ", device.name(),
                       "; give `device` cpu"));
}

// The tiles of one side (kernels/attention.cl: TILE).
std::vector<int32_t> tiles_of(Offsets side, Offsets other, int64_t tile) {
  std::vector<int32_t> all;
  const auto height = static_cast<int32_t>(tile);
  for (size_t b = 0; b + 1 < side.size(); ++b)
    for (int32_t from = side[b]; from < side[b + 1]; from += height)
      all.insert(all.end(),
                 {from, std::min(height, side[b + 1] - from), from - side[b], other[b], other[b + 1] - other[b]});
  return all;
}

int64_t count_of(const std::vector<int32_t>& tiles) { return std::ssize(tiles) / 5; }

[[noreturn]] void refuse_operation(const char* what) {
  throw UsageError(cat("OpenCL has no ", what, "; give `device` cpu"));
}

// Places and links of the queries, and of each key its position and its queries, in one upload.
struct Links {
  std::vector<int32_t> numbers;
  size_t linked = 0, sides = 0;  // where they begin
  explicit Links(const AlignmentInput& a) {
    for (size_t b = 0; b + 1 < a.queries.size(); ++b)
      for (auto t = static_cast<size_t>(a.queries[b]); t < static_cast<size_t>(a.queries[b + 1]); ++t)
        numbers.insert(numbers.end(), {a.keys[b], a.keys[b + 1] - a.keys[b], a.links[t], a.links[t + 1] - a.links[t]});
    linked = numbers.size();
    numbers.insert(numbers.end(), a.linked.begin(), a.linked.end());
    sides = numbers.size();
    for (size_t b = 0; b + 1 < a.keys.size(); ++b)
      for (int32_t u = a.keys[b]; u < a.keys[b + 1]; ++u)
        numbers.insert(numbers.end(), {u - a.keys[b], a.queries[b], a.queries[b + 1] - a.queries[b]});
  }
};

}  // namespace

void OpenclBackend::attention(const AttentionInput& a, Tensor out, Tensor lse) {
  const int64_t heads = a.q.shape[1], dk = a.q.shape[2], dv = a.v.shape[2];
  const int64_t tile = tile_of(queue_.device(), a.q.dtype, dk, dv);
  const std::vector<int32_t> tiles = tiles_of(a.queries, a.keys, tile);
  const std::lock_guard lock(queue_.mutex());
  queue_.launch("attention", a.q.dtype, count_of(tiles) * heads, queue_.upload(tiles), Heads{a.q}, Heads{a.k},
                Heads{a.v}, matrix(a.mask, "mask"), heads, dk, dv, tile, a.causal, a.scale, a.dropout,
                matrix(out, "out"), matrix(lse, "lse"), Local{local_numbers(tile, dk, dv)});
}

void OpenclBackend::attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq,
                                       Tensor dk, Tensor dv) {
  const int64_t heads = a.q.shape[1], width_k = a.q.shape[2], width_v = a.v.shape[2], rows = a.q.shape[0];
  const int64_t tile = tile_of(queue_.device(), a.q.dtype, width_k, width_v);
  const std::lock_guard lock(queue_.mutex());
  const Scratch products{queue_.scratch(static_cast<size_t>(rows * heads) * size_of(a.q.dtype)).get(), 0, heads};
  const Matrix above = matrix(d_out, "d_out"), sums = matrix(lse, "lse");
  queue_.launch("attention_products", a.q.dtype, element_groups(rows, heads), matrix(out, "out"), above, products,
                heads, width_v);
  const auto run = [&](const char* kernel, const std::vector<int32_t>& tiles, const auto&... results) {
    queue_.launch(kernel, a.q.dtype, count_of(tiles) * heads, queue_.upload(tiles), Heads{a.q}, Heads{a.k}, Heads{a.v},
                  matrix(a.mask, "mask"), heads, width_k, width_v, tile, a.causal, a.scale, a.dropout, sums, above,
                  products, results..., Local{local_numbers(tile, width_k, width_v)});
  };
  run("attention_backward_queries", tiles_of(a.queries, a.keys, tile), Heads{dq});
  run("attention_backward_keys", tiles_of(a.keys, a.queries, tile), Heads{dk}, Heads{dv});
}

void OpenclBackend::attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale,
                                   Tensor out) {
  const int64_t heads = q.shape[1], dk = q.shape[2], dv = v.shape[2];
  queue_.launch("attention_step", q.dtype, q.shape[0] * heads, Heads{q}, Heads{k}, Heads{v}, index, index.strides[0],
                lengths, matrix(out, "out"), heads, dk, dv, scale, Local{dk + dv + kGroup});
}

void OpenclBackend::alignment_loss(const AlignmentInput& a, Tensor loss) {
  const Links links(a);
  const std::lock_guard lock(queue_.mutex());
  const Scratch lse{queue_.scratch(static_cast<size_t>(a.q.shape[0] + 1) * size_of(a.q.dtype)).get()};
  const Uploaded places = queue_.upload(links.numbers), linked{places.buffer, places.first + links.linked};
  queue_.launch("alignment_loss", a.q.dtype, a.q.shape[0], matrix(a.q, "q"), matrix(a.k, "k"), places, linked,
                a.q.shape[1], a.scale, lse, loss);
}

void OpenclBackend::alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) {
  const Links links(a);
  const std::lock_guard lock(queue_.mutex());
  const Scratch lse{queue_.scratch(static_cast<size_t>(a.q.shape[0] + 1) * size_of(a.q.dtype)).get()};
  const Uploaded places = queue_.upload(links.numbers), linked{places.buffer, places.first + links.linked},
                 sides{places.buffer, places.first + links.sides};
  const auto run = [&](const char* kernel, int64_t groups, const auto&... rest) {
    queue_.launch(kernel, a.q.dtype, groups, matrix(a.q, "q"), matrix(a.k, "k"), places, linked, a.q.shape[1], a.scale,
                  lse, rest...);
  };
  run("alignment_loss", a.q.shape[0], Tensor());
  run("alignment_backward_queries", a.q.shape[0], matrix(dq, "dq"), scale);
  run("alignment_backward_keys", a.k.shape[0], sides, matrix(dk, "dk"), scale);
}

void OpenclBackend::additive_attention(const AttentionInput&, Tensor, Tensor) {
  refuse_operation("additive attention");
}
void OpenclBackend::additive_attention_backward(const AttentionInput&, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor,
                                                Tensor) {
  refuse_operation("additive attention");
}
void OpenclBackend::additive_attention_step(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) {
  refuse_operation("additive attention");
}

}  // namespace hexapla::opencl
