#pragma once
// The device contract: everything a device must be able to do. ops/ has already checked the shapes;
// a backend computes. Every call must give the same bits for any number of threads; calls marked
// "by row" must give each row the same bits whatever the other rows are. src/core/backend/reference is
// the definition, and other backends are tested against it.
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "backend/sinusoids.h"
#include "base/compute/pages.h"
#include "tensor/tensor.h"

namespace hexapla {

enum class Write { set, add };  // replace the old values, or add to them
// max(0, x); x Phi(x) (exact, erf); x sigmoid(x);
// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, an approximation of GELU
enum class Activation { relu, gelu, swish, gelu_tanh };

// A device's own copy of a weight, in the order and precision in which its products read it. The
// caller of pack() owns it. It is immutable, so any number of threads may share it, and it may
// outlive the device.
class PackedWeight {
 public:
  explicit PackedWeight(const Shape& of) : shape_(of) {}
  virtual ~PackedWeight() = default;
  PackedWeight(const PackedWeight&) = delete;
  PackedWeight& operator=(const PackedWeight&) = delete;
  const Shape& shape() const { return shape_; }  // of the weight, [in, out]

 private:
  Shape shape_;
};

// A weight of a product: [in, out], possibly transposed(). If it has a packed copy made by a device
// of the same kind, `values` is not read and needs no data.
struct Weight {
  Tensor values;
  const PackedWeight* packed = nullptr;

  Weight() = default;
  Weight(const Tensor& w, const PackedWeight* copy = nullptr) : values(w), packed(copy) {}
  const Shape& shape() const { return values.shape; }
};

// Identifies a dropout mask. Element (row, column) of the tensor is kept if its 16 random bits (see
// dropout_layout.h) are >= p * 65536; kept elements are divided by 1 - p.
struct DropoutMask {
  uint64_t seed = 0;
  uint32_t step = 0, tensor = 0;
  float p = 0;
  explicit operator bool() const { return p > 0; }
};

// An output layer of which only some columns are computed. The weight of a column is a row of a
// table.
struct OutputTable {
  Weight w;                      // [d, V]: a table, transposed(), possibly with a packed copy
  Tensor integers, scales = {};  // optionally the factors of w, which then needs no data: column j is integers[j] *
                                 // scales[j]; i8 [V, d] and [V]
  Tensor bias = {};              // [V] or nothing
};
// The selected columns of each sequence; sequence s has the rows rows[s] .. rows[s + 1] - 1.
struct ColumnLists {
  Offsets rows;
  std::span<const std::span<const int32_t>> ids;
};

// softmax(scale * q k^T + mask) v for every head of every sequence, section 3.2.1.
struct AttentionInput {
  Tensor q;               // [Nq, H, d_k]
  Tensor k;               // [Nk, H, d_k]
  Tensor v;               // [Nk, H, d_v]
  Offsets queries, keys;  // the rows of each sequence
  bool causal = false;    // query t of a sequence sees its keys 0 .. t
  double scale = 1;
  Tensor mask;  // optional [Nq, longest key sequence]: added to the scores; column u is the u-th key of the sequence
  DropoutMask dropout;  // of the weights; rows and columns as in dropout_layout::weight_element()
  Tensor additive;      // only for additive_*: w [H, d_k]; the score is then w^T tanh(q + k), and scale is ignored
};

// Guided alignment: how well the attention weights A = softmax(scale * q k^T) of one head follow links between queries
// and keys. For a query t that is linked to the keys u of a set U, loss[t] = -1/|U| * sum over U of log A[t][u]; a
// query without links has loss 0 and no gradient. (Chen et al. 2016, Garg et al. 2019.)
struct AlignmentInput {
  Tensor q, k;                      // [Nq, d_k], [Nk, d_k]: of one head, rows may be strided
  Offsets queries, keys;            // the rows of each sequence
  double scale = 1;                 // of the scores
  Offsets links;                    // [Nq + 1]: query t is linked to linked[links[t]] .. linked[links[t + 1] - 1]
  std::span<const int32_t> linked;  // positions of keys within their sequence
};

// Label-smoothed cross-entropy of softmax(x w + b), sections 3.4 and 5.4: with K classes the target distribution is
// 1 - smoothing at the label plus smoothing / K everywhere.
struct LossInput {
  Tensor x;          // [N, d]
  Weight w;          // [d, K]; not packed where gradients are computed
  Tensor b;          // [K], optional
  Tensor labels;     // [N] i32
  double smoothing;  // in [0, 1)
  double scale;      // the gradients are those of scale * sum of the losses
};

struct AdamStep {  // section 5.3
  double lr, beta1, beta2, eps;
  int64_t step;       // 1 at the first update: bias correction
  double grad_scale;  // the gradient is first multiplied by this (clipping)
  // Decoupled: p is multiplied by 1 - lr * weight_decay before the step (AdamW, Loshchilov and Hutter 2019).
  double weight_decay = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual bool supports(DType) const = 0;

  // Memory. Every Tensor of a call, those of ids and lengths included, lies in memory from allocate(); only those that
  // pack() and pack_quantized() read lie in the memory of the host, like all spans and Offsets.
  // host_memory(): the host reads and writes tensors in place, and they may lie anywhere. Otherwise the addresses of
  // tensors only name places on the device: views and strides work as usual, but any access by the host ends the
  // process; it works on copies instead (backend/on_host.h).
  virtual bool host_memory() const { return true; }
  virtual Pages allocate(size_t bytes) { return Pages(bytes); }  // zeros, aligned to 64 bytes; may outlive this
  // Both return when the copy is made. A copy to the host waits for all earlier calls.
  virtual void copy_to_device(const void* host, void* device, size_t bytes) { std::memcpy(device, host, bytes); }
  virtual void copy_to_host(const void* device, void* host, size_t bytes) { std::memcpy(host, device, bytes); }

  // In the element-wise calls, y may be x.
  virtual void fill(Tensor x, double value) = 0;
  virtual void add(Tensor a, Tensor b, Tensor y) = 0;  // y = a + b
  virtual void combine(double a, Tensor x, double b,
                       Tensor y) = 0;                       // y = a x + b y (b = 0: y may hold anything, even NaN)
  virtual void multiply(Tensor a, Tensor b, Tensor y) = 0;  // y = a * b, element by element
  virtual void activate(Activation f, Tensor x, Tensor y) = 0;
  // dx = f'(x) dy. For relu, x may be the output as well as the input.
  virtual void activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) = 0;
  virtual void dropout(Tensor x, DropoutMask mask, Tensor y) = 0;  // its own backward
  // y = dropout(f(x)) and dx = f'(x) dropout(dy) in one call, so that a device can fuse them. For relu, the backward
  // call takes y as x: dropped and non-positive elements are 0 in it, so the mask need not be drawn again.
  virtual void activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) = 0;
  virtual void activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) = 0;

  // Copies w [in, out], possibly transposed(), in the precision of the device. Null: the device has
  // no packed layout.
  virtual std::unique_ptr<PackedWeight> pack(Tensor /*w*/) { return nullptr; }
  // The same for the weight integers[i][j] * scales[j]; never null. integers: i8, [in, out],
  // possibly transposed(); scales: [out].
  virtual std::unique_ptr<PackedWeight> pack_quantized(Tensor integers, Tensor scales) = 0;
  // y = x w + b, by row. x: [N, in] (rows may be strided), b: [out] or empty.
  virtual void linear(Tensor x, const Weight& w, Tensor b, Tensor y) = 0;
  // y [N, W], by row: y[n, j] = x_n w + b in column lists.ids[s][j] for the rows n of sequence s;
  // -inf from the end of the list on. x is not rounded, whatever the precision of w.
  virtual void linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) = 0;
  virtual void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) = 0;   // dx = dy w^T
  virtual void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) = 0;  // dw += x^T dy, db += sum dy

  // y = LayerNorm(x + r) by row; r may be empty. normed [N, d] is the output before gain and bias,
  // rstd [N].
  virtual void add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                        Tensor rstd) = 0;
  // d <- J^T d in place; adds to dgain and dbias.
  virtual void add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) = 0;
  // The same with dropout(r) for r, so that a device can fuse them; r may be overwritten. After the backward call d is
  // J^T d for x, and dr the same for r.
  virtual void add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                                Tensor normed, Tensor rstd) = 0;
  virtual void add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d, Tensor dr,
                                         Tensor dgain, Tensor dbias) = 0;
  // BatchNorm(x + r) over the rows; returns mean and (biased) variance [d] of the batch; rstd [d].
  virtual void batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                          Tensor rstd, Tensor mean, Tensor variance) = 0;
  virtual void batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) = 0;
  // y = gain (x + r - mean) / sqrt(variance + eps) + bias, by row, with given statistics.
  virtual void batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean,
                                    Tensor variance, Tensor y) = 0;

  // y = scale * table[ids] (set) or y += scale * table[ids] (add). table: [V, d], ids: [N] i32, y: [N, d].
  virtual void embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) = 0;
  virtual void embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) = 0;  // dtable[ids] += scale * dy
  virtual void put_rows(Tensor x, Tensor ids, Tensor y) = 0;  // y[ids[n]] = x[n]; ids [N] i32, all different
  // Positional encodings, backend/sinusoids.h. table: [positions, d].
  virtual void sinusoids(Sinusoids kind, Tensor table) = 0;

  // out: [Nq, H * d_v]; lse: [Nq, H], the log of the sum of exp(scores), -inf for a row that sees
  // no key (out is then 0).
  virtual void attention(const AttentionInput& a, Tensor out, Tensor lse) = 0;
  virtual void attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                                  Tensor dv) = 0;  // dq, dk, dv are set (views of [N, H, d], rows may be strided)
  virtual void additive_attention(const AttentionInput& a, Tensor out, Tensor lse) = 0;
  virtual void additive_attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq,
                                           Tensor dk, Tensor dv, Tensor dw) = 0;  // dw [H, d_k] is added to
  // Decoding: query n sees the cache rows index[n, 0 .. lengths[n] - 1], by row. q: [N, H, d_k], k: [R, H, d_k],
  // v: [R, H, d_v], index: [N, longest] i32, lengths: [N] i32, out: [N, H * d_v].
  virtual void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) = 0;
  virtual void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                                       Tensor out) = 0;

  virtual void alignment_loss(const AlignmentInput& a, Tensor loss) = 0;  // loss [Nq], by row
  // Adds the gradients of scale * sum of the losses to dq and dk (rows may be strided).
  virtual void alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) = 0;

  // loss [N]: the smoothed cross-entropy; nll [N]: -log p(label). tile: scratch [rows per tile, K].
  virtual void cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) = 0;
  // The same with gradients in the same pass: dx is set; dw and db are added to (empty: frozen).
  virtual void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx,
                                           Tensor dw, Tensor db) = 0;
  virtual void log_softmax(Tensor x, Tensor y) = 0;  // over the last dimension, by row; y may be x
  // The k largest of each row of log_softmax(x), best first; ties by the lower id. scores [N, k],
  // ids [N, k] i32.
  virtual void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) = 0;

  // One fused pass over slabs of equal length: parameters, gradients, first and second moments.
  virtual void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) = 0;
  virtual double sum_of_squares(Tensor x) = 0;  // in f64, in a fixed order
};

}  // namespace hexapla
