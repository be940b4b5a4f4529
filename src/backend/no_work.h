#pragma once
#include "backend/backend.h"

namespace hexapla {

// A backend that does nothing: a training step on it takes the same memory from the arena as a real
// one, but no time. Tensors keep their contents. Base class of backends that do only part of the
// work.
class NoWork : public Backend {
 public:
  std::string name() const override { return "no work"; }
  bool supports(DType) const override { return true; }

  std::unique_ptr<PackedWeight> pack_quantized(Tensor, Tensor) override { return nullptr; }
  void fill(Tensor, double) override {}
  void add(Tensor, Tensor, Tensor) override {}
  void combine(double, Tensor, double, Tensor) override {}
  void multiply(Tensor, Tensor, Tensor) override {}
  void activate(Activation, Tensor, Tensor) override {}
  void activate_backward(Activation, Tensor, Tensor, Tensor) override {}
  void dropout(Tensor, DropoutMask, Tensor) override {}
  void add_norm(Tensor, Tensor, Tensor, Tensor, double, Tensor, Tensor, Tensor) override {}
  void add_norm_backward(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
  void batch_norm(Tensor, Tensor, Tensor, Tensor, double, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
  void batch_norm_backward(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
  void batch_norm_inference(Tensor, Tensor, Tensor, Tensor, double, Tensor, Tensor, Tensor) override {}
  void embed(Tensor, Tensor, double, Write, Tensor) override {}
  void embed_backward(Tensor, Tensor, double, Tensor) override {}
  void put_rows(Tensor, Tensor, Tensor) override {}
  void sinusoids(Sinusoids, Tensor) override {}
  void attention(const AttentionInput&, Tensor, Tensor) override {}
  void attention_backward(const AttentionInput&, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
  void additive_attention(const AttentionInput&, Tensor, Tensor) override {}
  void additive_attention_backward(const AttentionInput&, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor,
                                   Tensor) override {}
  void alignment_loss(const AlignmentInput&, Tensor) override {}
  void alignment_loss_backward(const AlignmentInput&, double, Tensor, Tensor) override {}
  void attention_step(Tensor, Tensor, Tensor, Tensor, Tensor, double, Tensor) override {}
  void additive_attention_step(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
  void cross_entropy(const LossInput&, Tensor, Tensor, Tensor) override {}
  void log_softmax(Tensor, Tensor) override {}
  void log_softmax_top(Tensor, int64_t, Tensor, Tensor) override {}
  void adam(Tensor, Tensor, Tensor, Tensor, const AdamStep&) override {}
  double sum_of_squares(Tensor) override { return 0; }
  void linear(Tensor, const Weight&, Tensor, Tensor) override {}
  void linear_selected(Tensor, const OutputTable&, const ColumnLists&, Tensor) override {}
  void linear_backward_input(Tensor, Tensor, Tensor, Write) override {}
  void linear_backward_weight(Tensor, Tensor, Tensor, Tensor) override {}
  void activate_dropped(Activation, Tensor, DropoutMask, Tensor) override {}
  void activate_dropped_backward(Activation, Tensor, Tensor, DropoutMask, Tensor) override {}
  void cross_entropy_with_gradient(const LossInput&, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) override {}
};

}  // namespace hexapla
