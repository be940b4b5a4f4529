#pragma once
// Private to the plugin: the backend. Every tensor lies in the memory of the device; offsets and lists lie in the
// host's.
#include "backend/opencl/plugin/queue.h"

namespace hexapla::opencl {

class OpenclBackend final : public Backend {
 public:
  explicit OpenclBackend(int device_number) : queue_(device_number) {}

  std::string name() const override;
  bool supports(DType t) const override;
  Pages allocate(size_t bytes) override;
  void copy_to_device(const void* host, void* device, size_t bytes) override { queue_.write(host, device, bytes); }
  void copy_to_host(const void* device, void* host, size_t bytes) override { queue_.read(device, host, bytes); }
  bool host_memory() const override { return false; }

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
  void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) override;
  void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                               Tensor out) override;
  void alignment_loss(const AlignmentInput& a, Tensor loss) override;
  void alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) override;

  void cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) override;
  void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                   Tensor db) override;
  void log_softmax(Tensor x, Tensor y) override;
  void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) override;

  void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) override;
  double sum_of_squares(Tensor x) override;

 private:
  // y = alpha x w + beta y, or with x transposed; the sums of a row are those of any other number of rows.
  struct Product {
    Tensor x, w, y;
    bool x_transposed = false, added = false;
  };
  void multiply_matrices(const Product& p, Tensor bias);
  // sum += the sums over the rows of d, and along += those of d * normed, if given.
  void add_column_sums(Tensor d, Tensor normed, Tensor sum, Tensor along);

  // The tile of the loss, in memory of our own if the given one is smaller than a device can use.
  Tensor wide_tile(const LossInput& in, Tensor tile);

  Queue queue_;
  Pages loss_tile_;
};

// Groups for kernels with a work item per element.
inline int64_t element_groups(int64_t rows, int64_t width) { return rows * ((width + kGroup - 1) / kGroup); }

}  // namespace hexapla::opencl
