#pragma once
// The norms: LayerNorm(x + r), the paper's (section 3.1), BatchNorm(x + r), and x + r alone.
#include "model/parameters/parameter.h"
#include "ops/ops.h"

namespace hexapla::model {

// The input of a norm: x + dropout(r), a sublayer's input and its output (section 5.4), or x alone.
struct Residual {
  Tensor x, r = {};
  Dropout dropout = {};
};

// forward -> [N, d]. backward: d <- J^T d for x; returns the gradient of r, which is d itself
// without dropout.
struct LayerNorm {
  Parameter gain, bias;
  double eps;

  LayerNorm(int64_t d, double epsilon)
      : gain{{d}, Init::ones(), {}, {}}, bias{{d}, Init::zeros(), {}, {}}, eps(epsilon) {}
  void visit(auto&& f) {
    f("gain", gain);
    f("bias", bias);
  }
  Tensor forward(Context& cx, const Residual& in, Normalized& s) const {
    s = add_norm_dropped(cx, in.x, in.r, in.dropout.mask(cx), {gain.value, bias.value, eps});
    return s.y;
  }
  Tensor backward(Context& cx, const Normalized& s, const Dropout& dropout, Tensor d) const {
    return add_norm_dropped_backward(cx, s, gain.value, dropout.mask(cx), d, {gain.grad, bias.grad});
  }
};

// Uses batch statistics in training, running ones in inference (Ioffe and Szegedy 2015). In a
// ragged batch every row is a real token, so no padding enters the statistics. With frozen
// statistics it uses the running ones in training, too, and so stays the same function.
struct BatchNorm {
  Parameter gain, bias;
  Buffer mean, variance;
  double eps, momentum = 0.1;

  BatchNorm(int64_t d, double epsilon)
      : gain{{d}, Init::ones(), {}, {}},
        bias{{d}, Init::zeros(), {}, {}},
        mean{{d}, 0, {}, false},
        variance{{d}, 1, {}, false},
        eps(epsilon) {}
  void visit(auto&& f) {
    f("gain", gain);
    f("bias", bias);
    f("running_mean", mean);
    f("running_variance", variance);
  }
  Tensor forward(Context& cx, const Residual& in, Normalized& s) const;
  Tensor backward(Context& cx, const Normalized& s, const Dropout& dropout, Tensor d) const {
    if (mean.frozen)
      frozen_backward(cx, d);
    else
      batch_norm_backward(cx, s, gain.value, d, gain.grad, bias.grad);
    return dropout.backward(cx, d);
  }

 private:
  void frozen_backward(Context& cx, Tensor d) const;
};

// x + r unchanged, for stacks without norms.
struct NoNorm {
  void visit(auto&&) {}
  Tensor forward(Context& cx, const Residual& in, Normalized& s) const {
    s.y = in.r ? add(cx, in.x, in.dropout.forward(cx, in.r)) : in.x;
    return s.y;
  }
  Tensor backward(Context& cx, const Normalized&, const Dropout& dropout, Tensor d) const {
    return dropout.backward(cx, d);
  }
};

using Norm = std::variant<LayerNorm, BatchNorm, NoNorm>;

inline Norm make_norm(const std::string& kind, int64_t d, double eps) {
  if (kind == "batch") return BatchNorm(d, eps);
  if (kind == "none") return NoNorm{};
  HEXAPLA_CHECK(kind == "layer", "there is no norm '", kind, "'");
  return LayerNorm(d, eps);
}
// Shows its result as "norm", and its input, the sum of x and r, as "sum".
Tensor forward(const Norm& norm, Context& cx, const Residual& in, Offsets rows, Normalized& s);
Tensor backward(const Norm& norm, Context& cx, const Normalized& s, const Dropout& dropout, Tensor d);

}  // namespace hexapla::model
