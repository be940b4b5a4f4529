#include "inspect/gradients.h"

#include <gmock/gmock.h>

#include <cmath>

#include "backend/reference/reference.h"
#include "inspect/parameters_apart.h"
#include "inspect/test_small.h"

namespace hexapla::inspect {
namespace {

// Uses f64, in which differences are sufficiently exact.
struct Exact : SmallModel {
  explicit Exact(const model::Config& c) : SmallModel(c, make_reference_backend(), DType::f64) {}
  Inspection inspect() const { return SmallModel::inspect(kPair); }
  double loss() const { return -inspect().score; }
};

TEST(Gradients, OfEveryParameterAreThoseOfFiniteDifferences) {
  constexpr double step = 1e-6;
  for (const model::Config& c : siblings()) {
    Exact exact(c);
    Inspection seen = exact.inspect();
    add_gradients(seen, *exact.backend, exact.model, kPair);
    EXPECT_NEAR(seen.seen.get("loss").values[0], -seen.score, 1e-9);
    int compared = 0;
    model::for_each<model::Parameter>(exact.model, [&](const std::string& name, model::Parameter& p) {
      for (const Part& part : parts_of(name, p.value, c)) {
        const Recorded* gradient = seen.seen.find("gradient." + part.name);
        if (!gradient) {
          EXPECT_EQ(c.norm.text(), "batch") << part.name;
          continue;
        }
        const double before = *part.values.data<double>();  // the first number of each
        *part.values.data<double>() = before + step;
        const double above = exact.loss();
        *part.values.data<double>() = before - step;
        const double below = exact.loss();
        *part.values.data<double>() = before;
        EXPECT_NEAR(gradient->values[0], (above - below) / (2 * step), 1e-7) << part.name;
        ++compared;
      }
    });
    EXPECT_GT(compared, 20);
  }
}

TEST(Gradients, EveryIntermediateHasOneOfItsShape) {
  for (const model::Config& c : siblings()) {
    const Exact exact(c);
    Inspection seen = exact.inspect();
    const std::map<std::string, Recorded> intermediates = seen.seen.tensors();
    add_gradients(seen, *exact.backend, exact.model, kPair);
    for (const auto& [name, value] : intermediates) {
      if (name == "decoder.mask") continue;
      const bool of_softmax = name.ends_with(".scores") || name.ends_with(".unscaled");
      if (of_softmax && !c.softmax()) continue;
      const Recorded* gradient = seen.seen.find("gradient." + name);
      ASSERT_TRUE(gradient) << name << " has none";
      EXPECT_EQ(gradient->shape, value.shape) << name;
    }
  }
}

// The derivative of a bias is the sum of the derivatives of the intermediate to which it is added.
TEST(Gradients, OfIntermediatesAreThoseOfTheBiasesAddedToThem) {
  model::Config c = small_config();
  c.attention_bias = c.generator_bias = true;
  const Exact exact(c);
  Inspection seen = exact.inspect();
  add_gradients(seen, *exact.backend, exact.model, kPair);
  const std::string layer = "decoder.layers.0.";
  for (const auto& [what, bias] :
       std::map<std::string, std::string>{{layer + "self_attention.q", layer + "self_attention.query.bias"},
                                          {layer + "self_attention.v", layer + "self_attention.value.bias"},
                                          {layer + "cross_attention.k", layer + "cross_attention.key.bias"},
                                          {layer + "cross_attention.output", layer + "cross_attention.output.bias"},
                                          {layer + "feed_forward.inner", layer + "feed_forward.inner.bias"},
                                          {layer + "feed_forward.norm", layer + "feed_forward_norm.bias"},
                                          {"generator.logits", "generator.bias"}}) {
    const Recorded &d = seen.seen.get("gradient." + what), &of_bias = seen.seen.get("gradient." + bias);
    const size_t width = of_bias.values.size();
    for (size_t i = 0; i < width; ++i) {
      double sum = 0;
      for (size_t at = i; at < d.values.size(); at += width) sum += d.values[at];
      EXPECT_NEAR(sum, of_bias.values[i], 1e-12) << what;
    }
  }
}

TEST(Gradients, LeaveTheModelAsItIs) {
  const Exact exact(small_config());
  Inspection seen = exact.inspect();
  add_gradients(seen, *exact.backend, exact.model, kPair);
  EXPECT_EQ(exact.inspect().score, seen.score);
}

TEST(ParametersApart, TheThreeMatricesOfAttentionAreColumnsOfOne) {
  const Exact exact(small_config());
  Recorder seen;
  add_parameters(seen, exact.model);
  const Recorded &query = seen.get("encoder.layers.0.self_attention.query.weight"),
                 &value = seen.get("encoder.layers.0.self_attention.value.weight");
  EXPECT_EQ(query.shape, (Shape{8, kHeads * kDKey}));
  EXPECT_EQ(value.shape, (Shape{8, kHeads * 5}));
  EXPECT_EQ(seen.get("decoder.layers.0.cross_attention.key.weight").shape, (Shape{8, kHeads * kDKey}));
  EXPECT_EQ(seen.find("encoder.layers.0.self_attention.qkv.weight"), nullptr);
  const Inspection run = exact.inspect();
  const Recorded &x = run.seen.get("encoder.embedded"), &v = run.seen.get("encoder.layers.0.self_attention.v");
  double first = 0;
  for (int i = 0; i < 8; ++i) first += x.values[i] * value.values[i * kHeads * 5];
  EXPECT_NEAR(first, v.values[0], 1e-12);
}

}  // namespace
}  // namespace hexapla::inspect
