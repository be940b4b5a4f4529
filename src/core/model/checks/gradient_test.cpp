// Checks every derivative, every layer and variant, and the whole model against finite differences
// in f64.
#include "model/checks/gradient_check.h"

#include <gmock/gmock.h>

#include "backend/reference/reference.h"
#include "model/transformer.h"

namespace hexapla::model {
namespace {

constexpr double kLimit = 1e-7;

// Three sequences with 5, 1 and 4 queries and 2, 4 and 3 keys.
const std::vector<int32_t> kRows{0, 5, 6, 10}, kMemoryRows{0, 2, 6, 9};

// A module in f64 on the reference backend, with inputs and random weights w: loss = sum of w *
// output.
template <class Module>
class GradientBench {
 public:
  explicit GradientBench(Module m) : module(std::move(m)), parameters_(module, DType::f64, Parameters::Use::training) {
    initialize(module, 3);
    Random random(4);
    const Tensor values = parameters_.values();
    for (double& v : values.values<double>()) v += 0.2 * random.normal();  // so that no gain is 1 and no bias 0
    cx.training = true;
  }
  Tensor input(const char* name, int64_t rows, int64_t d) {
    Tensor x = random(rows, d), g = random(rows, d);
    cx.backend.fill(g, 0);
    inputs_.push_back({name, x, g});
    return x;
  }
  Tensor gradient(size_t i) const { return inputs_[i].gradient; }
  Tensor random(int64_t rows, int64_t d) {
    memory_.push_back(std::make_unique<std::vector<double>>(rows * d));
    Random r(5 + memory_.size());
    for (double& v : *memory_.back()) v = r.normal();
    return Tensor::of(memory_.back()->data(), {rows, d});
  }
  Tensor random_like(Tensor y) { return random(y.shape[0], y.shape[1]); }
  // forward() returns the output; backward(dy) sets the gradients.
  void check(const std::function<Tensor()>& forward, const std::function<void(Tensor)>& backward,
             bool of_parameters = true) {
    const auto mark = cx.arena.mark();
    Tensor w = random_like(forward());
    cx.arena.rewind(mark);
    forward();
    Tensor dy = cx.scratch(w.shape);
    cx.backend.combine(1, w, 0, dy);
    backward(dy);
    std::vector<Checked> all;
    if (of_parameters) all = checked_parameters(module);
    all.insert(all.end(), inputs_.begin(), inputs_.end());
    const GradientReport report = check_gradients(all, [&] {
      cx.arena.rewind(mark);
      Tensor y = forward();
      double loss = 0;
      for (int64_t i = 0; i < y.size(); ++i) loss += w.data<double>()[i] * y.data<double>()[i];
      return loss;
    });
    EXPECT_LE(report.worst, kLimit) << report.where;
    EXPECT_GT(report.checked, 0);
    RecordProperty("worst", cat(report.worst));
  }
  static void RecordProperty(const char* key, const std::string& value) { testing::Test::RecordProperty(key, value); }

  Module module;
  std::unique_ptr<Backend> backend = make_reference_backend();
  Arena arena{size_t{64} << 20};
  Context cx{*backend, arena, DType::f64};

 private:
  Parameters parameters_;
  std::vector<std::unique_ptr<std::vector<double>>> memory_;
  std::vector<Checked> inputs_;
};

Heads heads(bool additive, double scale = 0.5) {
  Heads h = Heads::scaled_dot(2, 3, 4);  // d_k and d_v differ from each other and from d_model / heads
  h.score = DotScore{scale};
  if (additive) h.score = AdditiveScore(2, 3);
  h.bias = true;
  return h;
}

TEST(Gradients, Linear) {
  for (bool bias : {true, false}) {
    GradientBench b(Linear(7, 5, bias));
    Tensor x = b.input("x", 6, 7);
    b.check([&] { return b.module.forward(b.cx, x); },
            [&](Tensor dy) { b.module.backward(b.cx, x, dy, b.gradient(0), Write::add); });
  }
}

// x + dropout(r) if there is an r.
template <class N>
void check_norm(bool residual, double p = 0, bool frozen = false) {
  GradientBench b(N(6, 1e-6));
  for_each<Buffer>(b.module, [&](const std::string&, Buffer& buffer) {
    buffer.frozen = frozen;
    for (double& v : buffer.value.template values<double>()) v = 0.5 + v * v;
  });
  b.cx.training = true;
  const Dropout dropout{p, 1};
  Tensor x = b.input("x", 10, 6), r = b.input("r", 10, 6);
  Normalized s;
  const auto forward = [&] {
    if (!residual) return b.module.forward(b.cx, {x}, s);
    Tensor copy = b.cx.keep(r.shape);  // r may be overwritten
    b.cx.backend.combine(1, r, 0, copy);
    return b.module.forward(b.cx, {x, copy, dropout}, s);
  };
  b.check(
      forward,
      [&](Tensor dy) {
        Tensor dr = b.module.backward(b.cx, s, dropout, dy);
        b.cx.backend.combine(1, dy, 0, b.gradient(0));
        if (residual) b.cx.backend.combine(1, dr, 0, b.gradient(1));
      },
      !frozen);
}
TEST(Gradients, LayerNorm) { check_norm<LayerNorm>(false); }
TEST(Gradients, LayerNormOfAResidual) { check_norm<LayerNorm>(true); }
TEST(Gradients, LayerNormOfADroppedResidual) { check_norm<LayerNorm>(true, 0.4); }
TEST(Gradients, BatchNorm) { check_norm<BatchNorm>(false); }
TEST(Gradients, BatchNormOfAResidual) { check_norm<BatchNorm>(true); }
TEST(Gradients, BatchNormOfADroppedResidual) { check_norm<BatchNorm>(true, 0.4); }
TEST(Gradients, FrozenBatchNorm) { check_norm<BatchNorm>(false, 0, true); }
TEST(Gradients, FrozenBatchNormOfADroppedResidual) { check_norm<BatchNorm>(true, 0.4, true); }

struct AttentionCase {
  const char* name;
  bool additive, causal;
  double scale, dropout;
};
class AttentionGradients : public testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionGradients, Self) {
  const AttentionCase& c = GetParam();
  Heads h = heads(c.additive, c.scale);
  h.dropout = {c.dropout, 1};
  GradientBench b(SelfAttention(h, 8, c.causal));
  Tensor x = b.input("x", 10, 8);
  SelfAttention::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, s); },
          [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0)); });
}

TEST(Gradients, SimpleRecurrence) {
  GradientBench b(SimpleRecurrence(6));
  Tensor x = b.input("x", 10, 6);
  SimpleRecurrence::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, s); },
          [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0)); });
}

TEST_P(AttentionGradients, Cross) {
  const AttentionCase& c = GetParam();
  Heads h = heads(c.additive, c.scale);
  h.dropout = {c.dropout, 1};
  GradientBench b(CrossAttention(h, 8));
  Tensor x = b.input("x", 10, 8), memory = b.input("memory", 9, 8);
  CrossAttention::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, memory, kMemoryRows, s); },
          [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0), b.gradient(1)); });
}

// Queries, keys, values and output of different widths, and a mask with a row that sees nothing.
TEST_P(AttentionGradients, General) {
  const AttentionCase& c = GetParam();
  Heads h = heads(c.additive, c.scale);
  h.dropout = {c.dropout, 1};
  GradientBench b(MultiHeadAttention(h, {5, 6, 7, 3}));
  Tensor q = b.input("query", 10, 5), k = b.input("key", 9, 6), v = b.input("value", 9, 7);
  Tensor mask = b.random(10, 4);
  for (int u = 0; u < 4; ++u) mask.data<double>()[2 * 4 + u] = -INFINITY;
  mask.data<double>()[7 * 4 + 1] = -INFINITY;
  MultiHeadAttention::Saved s;
  b.check(
      [&] {
        return b.module.forward(b.cx, {q, k, v, kRows, kMemoryRows, c.causal, mask}, s);
      },
      [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0), b.gradient(1), b.gradient(2)); });
}

INSTANTIATE_TEST_SUITE_P(All, AttentionGradients,
                         testing::Values(AttentionCase{"scaled", false, false, 0.57, 0},
                                         AttentionCase{"causal", false, true, 0.57, 0},
                                         AttentionCase{"unscaled", false, true, 1, 0},
                                         AttentionCase{"dropout", false, true, 0.57, 0.3},
                                         AttentionCase{"additive", true, false, 1, 0},
                                         AttentionCase{"additive_causal_dropout", true, true, 1, 0.3}),
                         [](const auto& p) { return std::string(p.param.name); });

// One of the sequences is empty.
const std::vector<int32_t> kSomeEmpty{0, 5, 5, 6, 10};

template <class M>
void check_mixing(M layer) {
  GradientBench b(std::move(layer));
  Tensor x = b.input("x", 10, 6);
  typename M::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kSomeEmpty, s); },
          [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0)); });
}
TEST(Gradients, BidirectionalGru) { check_mixing(BidirectionalGru(6)); }
TEST(Gradients, Convolution) {
  for (const int64_t width : {1, 3, 7}) check_mixing(Convolution(6, width));
}

template <class Ffn>
void check_feed_forward(Activation f, double dropout) {
  GradientBench b(Ffn(f, 6, 11, dropout));
  Tensor x = b.input("x", 10, 6);
  FeedForwardSaved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, s); },
          [&](Tensor dy) { b.module.backward(b.cx, s, dy, b.gradient(0)); });
}
TEST(Gradients, FeedForward) {
  for (Activation f : {Activation::relu, Activation::gelu, Activation::swish, Activation::gelu_tanh})
    for (double p : {0.0, 0.4}) check_feed_forward<FeedForward>(f, p);
}
TEST(Gradients, GatedFeedForward) {
  for (Activation f : {Activation::relu, Activation::gelu, Activation::swish, Activation::gelu_tanh})
    for (double p : {0.0, 0.4}) check_feed_forward<GatedFeedForward>(f, p);
}

// Every gate, and in training also the load: dy of the loss is that of the output alone, so the
// balancing loss is added like a weighted output.
void check_experts(const ExpertLoad& load, Activation f, int64_t per_token, double dropout) {
  GradientBench b(MixtureOfExperts(f, {6, 5, 4, per_token}, load, dropout));
  Tensor x = b.input("x", 10, 6);
  MixtureOfExperts::Saved s;
  constexpr double scale = 3;
  const auto outputs = [&] {  // with an extra row for the balancing loss
    const Tensor y = b.module.forward(b.cx, x, kRows, s), all = b.cx.keep({11, 6});
    b.cx.backend.combine(1, y, 0, all.slice(0, 10));
    b.cx.backend.fill(all.slice(10, 1), scale * s.balancing);
    return all;
  };
  b.check(outputs, [&](Tensor dy) {
    s.scale = 0;
    for (int i = 0; i < 6; ++i) s.scale += scale * dy.data<double>()[60 + i];
    b.module.backward(b.cx, s, dy.slice(0, 10), b.gradient(0));
  });
  int64_t used = 0;
  for (int64_t e = 0; e < 4; ++e) used += s.routing.count(e) > 0;
  EXPECT_GT(used, 2) << "experts that nobody chose prove nothing";
  EXPECT_EQ(s.routing.dispatched() < 10 * per_token, load.capacity > 0);
}
TEST(Gradients, MixtureOfExperts) {
  for (const Activation f : {Activation::relu, Activation::gelu})
    for (const int64_t per_token : {1, 2})
      for (const double p : {0.0, 0.4}) check_experts({0, 0.1}, f, per_token, p);
}
TEST(Gradients, MixtureOfExpertsOfACapacity) {
  for (const int64_t per_token : {1, 2}) check_experts({0.7, 0}, Activation::relu, per_token, 0);
}

Config small_layers() {
  Config c;
  c.source_vocab = c.target_vocab = 13;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 6;
  c.d_ff = 8;
  c.heads = 2;
  c.d_k = 3;
  c.d_v = 4;
  c.dropout = 0;
  return c;
}

template <class Layer>
void check_encoder_layer(Config c) {
  c.dropout = 0.2;
  c.resolve();
  GradientBench b{Layer(c)};
  Tensor x = b.input("x", 10, c.d_model);
  typename Layer::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, s); },
          [&](Tensor dy) {
            b.module.backward(b.cx, s, dy);
            b.cx.backend.combine(1, dy, 0, b.gradient(0));
          });
}
TEST(Gradients, EncoderLayer) { check_encoder_layer<EncoderLayer>(small_layers()); }
TEST(Gradients, PreNormEncoderLayer) { check_encoder_layer<PreNormEncoderLayer>(small_layers()); }

template <class Layer>
void check_decoder_layer(Config c) {
  c.dropout = 0.2;
  c.resolve();
  GradientBench b{Layer(c)};
  Tensor x = b.input("x", 10, c.d_model), memory = b.input("memory", 9, c.d_model);
  typename Layer::Saved s;
  b.check([&] { return b.module.forward(b.cx, x, kRows, memory, kMemoryRows, s); },
          [&](Tensor dy) {
            b.module.backward(b.cx, s, dy, b.gradient(1));
            b.cx.backend.combine(1, dy, 0, b.gradient(0));
          });
}
TEST(Gradients, DecoderLayer) { check_decoder_layer<DecoderLayer>(small_layers()); }
TEST(Gradients, PreNormDecoderLayer) { check_decoder_layer<PreNormDecoderLayer>(small_layers()); }

struct ModelCase {
  const char* name;
  std::function<void(Config&)> change;
};
class WholeModel : public testing::TestWithParam<ModelCase> {};

// The gradient of every parameter, for scale * loss + guide.scale * the guide's losses.
void check_whole_model(Config c, const Guide& guide) {
  c.resolve();
  Transformer model(c);
  Parameters parameters(model, DType::f64, Parameters::Use::training);
  initialize(model, 1);
  auto backend = make_reference_backend();
  Arena arena(size_t{64} << 20);
  Context cx{*backend, arena, DType::f64};
  cx.training = true;
  const std::vector<int32_t> source{3, 4, 5, 2, 6, 2, 7, 8, 3, 2}, source_rows{0, 4, 6, 10};
  const std::vector<int32_t> in{1, 9, 10, 1, 1, 5, 4, 9}, out{9, 10, 2, 2, 5, 4, 9, 2}, rows{0, 3, 4, 8};
  const BatchView batch{source, in, out, source_rows, rows, guide};
  Transformer::Saved saved;
  const double scale = 0.7, smoothing = 0.1;
  const LossSums sums = model.loss_and_gradient(cx, batch, smoothing, scale, saved);
  EXPECT_EQ(sums.tokens, 8);
  EXPECT_EQ(sums.linked, guide ? 6 : 0);
  EXPECT_EQ(sums.alignment > 0, bool(guide));
  EXPECT_EQ(sums.balancing > 0, c.experts > 0);
  const GradientReport report = check_gradients(checked_parameters(model), [&] {
    arena.clear();
    const LossSums now = model.loss(cx, batch, smoothing, saved);
    return scale * (now.loss + now.balancing) + guide.scale * now.alignment;
  });
  EXPECT_LE(report.worst, kLimit) << report.where;
  EXPECT_EQ(report.checked, parameters.count());
  testing::Test::RecordProperty("worst", cat(report.worst));
}

Config changed(const ModelCase& which) {
  Config c = small_layers();
  which.change(c);
  return c;
}

TEST_P(WholeModel, Gradients) { check_whole_model(changed(GetParam()), {}); }

// Two of the eight target tokens have no link.
TEST_P(WholeModel, GradientsWithGuidedAlignment) {
  const Config c = changed(GetParam());
  if (c.score != "dot" && c.score != "scaled-dot") GTEST_SKIP() << "guided alignment needs a softmax of dot products";
  const std::vector<int32_t> links{0, 2, 2, 3, 4, 5, 5, 8, 9}, linked{0, 2, 1, 1, 3, 0, 1, 3, 2};
  check_whole_model(c, {.layer = 0, .head = 1, .scale = 0.9, .links = links, .linked = linked});
}

INSTANTIATE_TEST_SUITE_P(
    All, WholeModel,
    testing::Values(
        ModelCase{"paper", [](Config&) {}},
        ModelCase{"dropout", [](Config& c) { c.dropout = c.attention_dropout = c.activation_dropout = .2; }},
        ModelCase{"pre_norm", [](Config& c) { c.norm_position = "pre"; }},
        ModelCase{"batch_norm", [](Config& c) { c.norm = "batch"; }},
        ModelCase{"pre_batch_norm", [](Config& c) { c.norm = "batch", c.norm_position = "pre"; }},
        ModelCase{"post_norm_and_last", [](Config& c) { c.norm_position = "post-last", c.dropout = .1; }},
        ModelCase{"additive", [](Config& c) { c.score = "additive"; }},
        ModelCase{"unscaled", [](Config& c) { c.score = "dot"; }},
        ModelCase{"sigmoid", [](Config& c) { c.score = "sigmoid"; }},
        ModelCase{"relu", [](Config& c) { c.score = "relu"; }},
        ModelCase{"unnormalized", [](Config& c) { c.score = "unnormalized"; }},
        ModelCase{"top_4", [](Config& c) { c.score = "top-4"; }},
        ModelCase{"linear_kernel", [](Config& c) { c.score = "linear-kernel"; }},
        ModelCase{"no_norm", [](Config& c) { c.norm = "none"; }},
        ModelCase{"pre_no_norm", [](Config& c) { c.norm = "none", c.norm_position = "pre"; }},
        ModelCase{"no_positions", [](Config& c) { c.positions = "none"; }},
        ModelCase{"halves", [](Config& c) { c.positions = "sinusoidal-halves"; }},
        ModelCase{"timing_signal", [](Config& c) { c.positions = "timing-signal", c.first_position = 2; }},
        ModelCase{"unscaled_embeddings", [](Config& c) { c.embedding_scale = "none", c.norm_position = "pre"; }},
        ModelCase{"learned", [](Config& c) { c.positions = "learned", c.max_positions = 5; }},
        ModelCase{"gru", [](Config& c) { c.encoder_mixing = "gru"; }},
        ModelCase{"pre_norm_gru", [](Config& c) { c.encoder_mixing = "gru", c.norm_position = "pre", c.dropout = .1; }},
        ModelCase{"convolution", [](Config& c) { c.encoder_mixing = "convolution"; }},
        ModelCase{"pre_norm_convolution",
                  [](Config& c) {
                    c.encoder_mixing = "convolution", c.kernel_width = 5;
                    c.norm_position = "pre", c.dropout = .2;
                  }},
        ModelCase{"ssru", [](Config& c) { c.decoder_mixing = "ssru"; }},
        ModelCase{"pre_norm_ssru",
                  [](Config& c) { c.decoder_mixing = "ssru", c.norm_position = "pre", c.dropout = .1; }},
        ModelCase{"no_mask", [](Config& c) { c.decoder_mask = "none"; }},
        ModelCase{"gelu", [](Config& c) { c.activation = "gelu"; }},
        ModelCase{"gelu_by_tanh", [](Config& c) { c.activation = "gelu-tanh"; }},
        ModelCase{"gated_swish", [](Config& c) { c.activation = "swish", c.gated = true; }},
        ModelCase{"experts", [](Config& c) { c.experts = 4, c.load_balancing = 0.05; }},
        ModelCase{"two_of_three_experts",
                  [](Config& c) {
                    c.experts = 3, c.experts_per_token = 2, c.d_expert = 5, c.expert_capacity = 0.8;
                    c.norm_position = "pre", c.activation = "gelu", c.dropout = c.activation_dropout = .2;
                  }},
        ModelCase{"two_way_tied", [](Config& c) { c.tied = "decoder", c.source_vocab = 11; }},
        ModelCase{"notes",
                  [](Config& c) {
                    c.tied = "none";
                    c.generator_bias = c.attention_bias = c.embedding_norm = true;
                  }}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace hexapla::model
