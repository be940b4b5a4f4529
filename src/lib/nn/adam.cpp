#include <cmath>
#include <set>

#include "base/compute/pages.h"
#include "base/range.h"
#include "lib/nn/calls.h"

namespace hexapla::nn {
namespace {

// A layer and the moments of its parameters, in slabs of equal length.
struct Trained {
  std::shared_ptr<api::LayerState> layer;
  Pages first, second;

  AdamSlabs slabs() const {
    const hexapla::Tensor values = layer->parameters().values();
    return {values, layer->parameters().gradients(), hexapla::Tensor(first.data(), values.shape, DType::f32),
            hexapla::Tensor(second.data(), values.shape, DType::f32)};
  }
};

void check_adam(const AdamOptions& o) {
  ranges::kBelow1.check("beta1", o.beta1);
  ranges::kBelow1.check("beta2", o.beta2);
  ranges::kAbove0.check("epsilon", o.epsilon);
  ranges::kFrom0.check("clip-norm", o.clip_norm);
}

std::vector<Trained> trained_parameters(const Layers& layers) {
  std::set<const api::LayerState*> seen;
  std::vector<Trained> all;
  for (const Layer* layer : layers) {
    if (!layer) throw UsageError("one of the layers is a null pointer", "layers", "");
    if (!seen.insert(layer->state().get()).second) throw UsageError("a layer is given twice", "layers", "");
    const hexapla::Tensor values = layer->state()->parameters().values();
    if (!values) continue;  // no parameters
    const size_t bytes = values.size() * sizeof(float);
    all.push_back({layer->state(), Pages(bytes), Pages(bytes)});
  }
  return all;
}

}  // namespace

struct Adam::Impl {
  static constexpr const char* kind = "optimizer";
  AdamOptions options;
  std::vector<Trained> parts;
  int64_t step = 0;

  double gradient_norm(Context& cx) const {
    double squares = 0;
    for (const Trained& part : parts) squares += sum_of_squares(cx, part.slabs().gradients);
    return std::sqrt(squares);
  }
  void clear(Context& cx) const {
    for (const Trained& part : parts) fill(cx, part.slabs().gradients, 0);
  }
  void update(Context& cx, double learning_rate, double norm) {
    const double limit = options.clip_norm;
    const AdamStep how{.lr = learning_rate,
                       .beta1 = options.beta1,
                       .beta2 = options.beta2,
                       .eps = options.epsilon,
                       .step = ++step,
                       .grad_scale = limit > 0 && norm > limit ? limit / norm : 1};
    for (const Trained& part : parts) adam(cx, part.slabs(), how);
    clear(cx);
  }
};

Adam::Adam(const Layers& layers, const AdamOptions& options)
    : impl_(api::guarded([&] {
        check_adam(options);
        return std::make_unique<Impl>(Impl{options, trained_parameters(layers)});
      })) {}
Adam::~Adam() = default;
Adam::Adam(Adam&&) noexcept = default;
Adam& Adam::operator=(Adam&&) noexcept = default;

double Adam::update(Workspace& work, double learning_rate) {
  return api::guarded([&] {
    ranges::kFrom0.check("learning-rate", learning_rate);
    Context cx = work.state().context(1);
    const double norm = impl_->gradient_norm(cx);
    if (!std::isfinite(norm)) {
      impl_->clear(cx);
      throw RunError(cat("the norm of the gradient is ", norm,
                         ": the layers have not changed, and the gradients are 0 ",
                         "again; look for a number in the batch that is not finite, or lower the learning rate"));
    }
    impl_->update(cx, learning_rate, norm);
    return norm;
  });
}

}  // namespace hexapla::nn
