#pragma once
// Attention with weights other than a softmax (ops/weighing.h), with the inputs and outputs of
// attention() (ops/ops.h). Host code, the same on every backend. lse of the result is not set.
#include "ops/ops.h"
#include "ops/weighing.h"

namespace hexapla {

// InternalError: dropout of the weights, or a mask with values other than 0 and -inf.
template <class W>
struct WeightedAttention {
  static Attention forward(Context& cx, const AttentionInput& in);
  static void backward(const AttentionInput& in, Tensor d_out, const AttentionGradient& d);
  static AttentionWeights weights(Context& cx, const AttentionInput& in, size_t b);  // as attention_weights()
  static Tensor step(Context& cx, Tensor q, Tensor k, Tensor v, const StepRows& rows, double scale);
};

}  // namespace hexapla
