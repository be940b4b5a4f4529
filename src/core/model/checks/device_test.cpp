// Whole models on devices with memory of their own, in f64: loss and gradients are those of the reference, which
// gradient_test.cpp checks by finite differences.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/guarded/guarded.h"
#include "backend/on_host.h"
#include "backend/opencl/test_devices.h"
#include "backend/reference/reference.h"
#include "model/parameters/parameters.h"
#include "model/transformer.h"

namespace hexapla::model {
namespace {

struct Outcome {
  double loss = 0;
  std::vector<double> gradients;
};

Outcome outcome_on(Backend& backend, const Config& c) {
  Transformer model(c);
  Parameters parameters(model, DType::f64, Parameters::Use::training);
  initialize(model, 1);
  parameters.move_to(backend);
  Arena arena = make_arena(backend, size_t{16} << 20);
  Context cx{backend, arena, DType::f64};
  cx.training = true;
  const std::vector<int32_t> source{3, 4, 5, 2, 6, 2, 7, 8, 3, 2}, source_rows{0, 4, 6, 10};
  const std::vector<int32_t> in{1, 9, 10, 1, 1, 5, 4, 9}, out{9, 10, 2, 2, 5, 4, 9, 2}, rows{0, 3, 4, 8};
  Transformer::Saved saved;
  Outcome o;
  o.loss = model.loss_and_gradient(cx, {source, in, out, source_rows, rows}, 0.1, 0.7, saved).loss;
  const OnHost gradients(backend, parameters.gradients());
  for (const double g : gradients->values<double>()) o.gradients.push_back(g);
  return o;
}

// within: relative to the loss, and to the largest gradient.
void expect_reference(Backend& backend, const std::string& name, double within, Config c) {
  const auto reference = make_reference_backend();
  const Outcome a = outcome_on(backend, c), b = outcome_on(*reference, c);
  EXPECT_NEAR(a.loss, b.loss, within * b.loss) << name;
  ASSERT_EQ(a.gradients.size(), b.gradients.size());
  double worst = 0, largest = 0;
  for (size_t i = 0; i < a.gradients.size(); ++i) {
    worst = std::max(worst, std::abs(a.gradients[i] - b.gradients[i]));
    largest = std::max(largest, std::abs(b.gradients[i]));
  }
  EXPECT_LE(worst, within * largest) << name;
  EXPECT_GT(largest, 0) << name;
}

void expect_reference(Backend& backend, double within) {
  const auto with = [&](const std::string& name, const std::function<void(Config&)>& change) {
    Config c;
    c.source_vocab = c.target_vocab = 13;
    c.enc_layers = c.dec_layers = 2;
    c.d_model = 6, c.d_ff = 8, c.heads = 2, c.dropout = 0.2;
    change(c);
    c.resolve();
    expect_reference(backend, name, within, c);
  };
  with("the paper's", [](Config&) {});
  with("pre-norm", [](Config& c) { c.norm_position = "pre"; });
  with("gelu", [](Config& c) { c.activation = "gelu"; });
  with("gated swish", [](Config& c) { c.activation = "swish", c.gated = true; });
  with("learned positions", [](Config& c) { c.positions = "learned"; });
  with("dropout of weights", [](Config& c) { c.attention_dropout = 0.3, c.activation_dropout = 0.2; });
  with("BatchNorm", [](Config& c) { c.norm = "batch"; });
  with("SSRU", [](Config& c) { c.decoder_mixing = "ssru"; });
}

using OpenclModel = opencl::DeviceTest;

TEST_F(OpenclModel, GradientsAreThoseOfTheReference) {
  if (!backend().supports(DType::f64)) GTEST_SKIP() << backend().name() << " has no f64";
  expect_reference(backend(), 1e-10);
}

TEST(GuardedModel, GradientsAreThoseOfTheReference) {
  const auto guarded = make_guarded_backend(make_reference_backend());
  expect_reference(*guarded, 0);
}

}  // namespace
}  // namespace hexapla::model
