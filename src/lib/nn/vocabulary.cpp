// The layers with a vocabulary: the embedding, and the generator, which may share its table.
#include "lib/nn/architecture.h"
#include "lib/nn/calls.h"
#include "model/transformer.h"

namespace hexapla {
namespace api {
namespace {

struct EmbeddedInput {
  model::Embedding embedding;
  model::Input input;
  void visit(auto&& f) {
    embedding.visit(f);
    f("input", input);
  }
};

std::shared_ptr<LayerState> make_embedding(int64_t vocabulary, const Options& options) {
  return guarded([&] {
    model::Config::kVocabulary.check("vocabulary", vocabulary);
    const model::Config c = architecture(options);
    return own(EmbeddedInput{model::make_embedding(c, vocabulary), model::make_input(c)});
  });
}

// A generator with its own weight, or tied to the table of an embedding.
struct OutputLayer {
  model::Generator generator;
  std::shared_ptr<LayerState> tied;
  int64_t dim_model, classes;

  OutputLayer(int64_t d, int64_t k, bool with_bias) : dim_model(d), classes(k) {
    if (with_bias) generator.bias = model::Parameter{{k}, model::Init::zeros(), {}, {}};
  }
  void visit(auto&& f) { generator.visit(f); }

  const model::Parameter& table() const {
    return static_cast<OwnedLayer<EmbeddedInput>&>(*tied).module.embedding.table;
  }
  Weight weight() const { return generator.weight ? generator.weight->as_weight() : table().as_transposed_weight(); }
  Tensor weight_gradient() const { return generator.weight ? generator.weight->grad : table().grad.transposed(); }
  Tensor bias() const { return generator.bias ? generator.bias->value : Tensor(); }
  Tensor bias_gradient() const { return generator.bias ? generator.bias->grad : Tensor(); }
};

std::shared_ptr<LayerState> make_generator(int64_t dim_model, int64_t classes, bool bias) {
  return guarded([&] {
    Range<int64_t>{1, 1 << 16}.check("dim-model", dim_model);
    model::Config::kVocabulary.check("classes", classes);
    OutputLayer output(dim_model, classes, bias);
    output.generator.weight = model::Parameter{{dim_model, classes}, model::Init::xavier(dim_model, classes), {}, {}};
    return own(std::move(output));
  });
}

std::shared_ptr<LayerState> make_generator(const nn::Embedding& tied, bool bias) {
  return guarded([&] {
    const Shape table = module_of<EmbeddedInput>(tied).embedding.table.shape;
    OutputLayer output(table[1], table[0], bias);
    output.tied = tied.state();
    return own(std::move(output));
  });
}

double sum(Tensor x) {
  double total = 0;
  for (const float v : x.values<float>()) total += v;
  return total;
}

nn::Loss public_loss(const Loss& loss) { return {sum(loss.loss), sum(loss.nll), loss.loss.size()}; }

// UsageError: invalid x, labels or smoothing.
LossInput loss_input(Pass& pass, const OutputLayer& output, const nn::Tensor& given, const nn::Ids& labels,
                     double smoothing) {
  const Tensor x = pass.take("x", given, output.dim_model);
  ranges::kBelow1.check("smoothing", smoothing);
  if (std::ssize(labels) != x.shape[0])
    throw UsageError(cat("there are ", labels.size(), " labels for the ", x.shape[0], " rows of x"), "labels", "");
  return {x, output.weight(), output.bias(), pass.take_ids("labels", labels, output.classes), smoothing, 1};
}

}  // namespace
}  // namespace api

namespace nn {

Embedding::Embedding(std::int64_t vocabulary, const Options& architecture)
    : Layer(api::make_embedding(vocabulary, architecture)) {}

Tensor Embedding::forward(Workspace& work, const Ids& ids, const Offsets& offsets) const {
  return api::forward<model::Input::Saved>(work, *this, [&](api::Pass& pass, Context& cx, model::Input::Saved& saved) {
    const auto& [embedding, input] = api::module_of<api::EmbeddedInput>(*this);
    const hexapla::Tensor taken = pass.take_ids("ids", ids, embedding.table.shape[0]);
    const hexapla::Offsets rows = pass.take("offsets", offsets, taken.shape[0]);
    return input.forward(cx, embedding, taken, positions(cx, rows), rows, saved);
  });
}

void Embedding::backward(Workspace& work, const Tensor& dy) {
  api::backward<model::Input::Saved>(work, *this, dy,
                                     [&](api::Pass&, Context& cx, const model::Input::Saved& saved, hexapla::Tensor d) {
                                       const auto& [embedding, input] = api::module_of<api::EmbeddedInput>(*this);
                                       const hexapla::Tensor used_up = cx.scratch(d.shape);
                                       copy(cx, d, used_up);
                                       input.backward(cx, embedding, saved, used_up);
                                       return nullptr;  // ids have no gradient
                                     });
}

Generator::Generator(std::int64_t dim_model, std::int64_t classes, bool bias)
    : Layer(api::make_generator(dim_model, classes, bias)) {}
Generator::Generator(Embedding& tied, bool bias) : Layer(api::make_generator(tied, bias)) {}

Tensor Generator::forward(Workspace& work, const Tensor& x) const {
  return api::forward<hexapla::Tensor>(work, *this, [&](api::Pass& pass, Context& cx, hexapla::Tensor& saved) {
    const auto& output = api::module_of<api::OutputLayer>(*this);
    saved = pass.take("x", x, output.dim_model);
    return linear(cx, saved, output.weight(), output.bias());
  });
}

Tensor Generator::backward(Workspace& work, const Tensor& dy) {
  return api::backward<hexapla::Tensor>(
      work, *this, dy, [&](api::Pass& pass, Context& cx, const hexapla::Tensor& saved, hexapla::Tensor d) {
        const auto& output = api::module_of<api::OutputLayer>(*this);
        const hexapla::Tensor dx = cx.keep(saved.shape);
        linear_backward_input(cx, d, output.weight().values, dx, Write::set);
        linear_backward_weight(cx, saved, d, output.weight_gradient(), output.bias_gradient());
        return pass.give(dx);
      });
}

Loss Generator::loss(Workspace& work, const Tensor& x, const Ids& labels, double smoothing) const {
  return api::in_pass(work, [&](api::Pass& pass) {
    Context cx = pass.context(1);
    const auto& output = api::module_of<api::OutputLayer>(*this);
    return api::public_loss(cross_entropy(cx, api::loss_input(pass, output, x, labels, smoothing)));
  });
}

LossGradient Generator::loss_and_gradient(Workspace& work, const Tensor& x, const Ids& labels, double smoothing,
                                          double scale) {
  return api::in_pass(work, [&](api::Pass& pass) {
    Context cx = pass.context(1);
    Arena::Frame frame(cx.arena);
    const auto& output = api::module_of<api::OutputLayer>(*this);
    LossInput in = api::loss_input(pass, output, x, labels, smoothing);
    in.scale = scale;
    const auto [loss, d] = cross_entropy_with_gradient(cx, in, output.weight_gradient(), output.bias_gradient());
    return LossGradient{api::public_loss(loss), pass.give(api::kept_copy(cx, d))};
  });
}

}  // namespace nn
}  // namespace hexapla
