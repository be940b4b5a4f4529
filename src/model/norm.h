#pragma once
// The two norms, siblings: LayerNorm(x + r), the paper's (section 3.1), and BatchNorm(x + r).
#include "model/parameter.h"
#include "ops/ops.h"

namespace hexapla {

struct LayerNorm {
  Parameter gain, bias;
  double eps;

  LayerNorm(int64_t d, double epsilon)
      : gain{{d}, Init::ones(), {}, {}}, bias{{d}, Init::zeros(), {}, {}}, eps(epsilon) {}
  void visit(auto&& f) {
    f("gain", gain);
    f("bias", bias);
  }
  // r may be nothing. -> [N, d]
  Tensor forward(Context& cx, Tensor x, Tensor r, Normalized& s) const {
    s = add_norm(cx, x, r, {gain.value, bias.value, eps});
    return s.y;
  }
  void backward(Context& cx, const Normalized& s, Tensor d) const {
    add_norm_backward(cx, s, gain.value, d, gain.grad, bias.grad);
  }
};

// Statistics of the batch in training, running ones in inference (Ioffe and Szegedy 2015). In a ragged batch every row
// is a real token, so padding never enters the statistics.
struct BatchNorm {
  Parameter gain, bias;
  Buffer mean, variance;
  double eps, momentum = 0.1;

  BatchNorm(int64_t d, double epsilon)
      : gain{{d}, Init::ones(), {}, {}},
        bias{{d}, Init::zeros(), {}, {}},
        mean{{d}, 0, {}},
        variance{{d}, 1, {}},
        eps(epsilon) {}
  void visit(auto&& f) {
    f("gain", gain);
    f("bias", bias);
    f("running_mean", mean);
    f("running_variance", variance);
  }
  Tensor forward(Context& cx, Tensor x, Tensor r, Normalized& s) const;
  void backward(Context& cx, const Normalized& s, Tensor d) const {
    batch_norm_backward(cx, s, gain.value, d, gain.grad, bias.grad);
  }
};

using Norm = std::variant<LayerNorm, BatchNorm>;

inline Norm make_norm(const std::string& kind, int64_t d, double eps) {
  if (kind == "batch") return BatchNorm(d, eps);
  return LayerNorm(d, eps);
}
// Shows its result under the name "norm".
Tensor forward(const Norm& norm, Context& cx, Tensor x, Tensor r, Starts rows, Normalized& s);
inline void backward(const Norm& norm, Context& cx, const Normalized& s, Tensor d) {
  std::visit([&](const auto& n) { n.backward(cx, s, d); }, norm);
}

}  // namespace hexapla
