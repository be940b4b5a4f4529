#pragma once
#include "model/parameters/parameter.h"
#include "ops/ops.h"

namespace hexapla::model {

// y = x W + b, as in the paper: W is [in, out].
struct Linear {
  Parameter weight;
  std::optional<Parameter> bias;

  Linear(int64_t in, int64_t out, bool with_bias) : Linear(in, out, with_bias, Init::xavier(in, out)) {}
  // For concatenated matrices: the caller passes the fans of a single one, so that each is
  // initialized as it would be alone.
  Linear(int64_t in, int64_t out, bool with_bias, Init init) : weight{{in, out}, init, {}, {}} {
    if (with_bias) bias = Parameter{{out}, Init::zeros(), {}, {}};
  }
  void visit(auto&& f) {
    f("weight", weight);
    f("bias", bias);
  }

  Tensor forward(Context& cx, Tensor x) const { return linear(cx, x, weight.as_weight(), bias_value()); }  // kept
  void forward(Context& cx, Tensor x, Tensor y) const { linear(cx, x, weight.as_weight(), bias_value(), y); }
  Tensor backward(Context& cx, Tensor x, Tensor dy) const {  // dx, scratch
    Tensor dx = cx.scratch(x.shape);
    backward(cx, x, dy, dx, Write::set);
    return dx;
  }
  void backward(Context& cx, Tensor x, Tensor dy, Tensor dx, Write how) const {
    linear_backward_input(cx, dy, weight.value, dx, how);
    linear_backward_weight(cx, x, dy, weight.grad, bias ? bias->grad : Tensor());
  }

 private:
  Tensor bias_value() const { return bias ? bias->value : Tensor(); }
};

}  // namespace hexapla::model
