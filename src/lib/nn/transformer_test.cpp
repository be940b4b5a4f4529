// The paper's model, assembled from the layers of hexapla/nn.h, is bit-identical to
// model::Transformer.
#include <gmock/gmock.h>

#include <cstring>
#include <map>

#include "backend/cpu/cpu.h"
#include "lib/nn/architecture.h"
#include "lib/nn/test_nn.h"
#include "model/parameters/parameters.h"
#include "model/transformer.h"

namespace hexapla::api {
namespace {

constexpr double kSmoothing = 0.1, kScale = 0.7;
const nn::Ids kSource{3, 4, 5, 2, 6, 2, 7, 8, 3, 2}, kTarget{1, 9, 10, 1, 1, 5, 4, 9}, kLabels{9, 10, 2, 2, 5, 4, 9, 2};
const nn::Offsets kSourceOffsets{0, 4, 6, 10}, kTargetOffsets{0, 3, 4, 8};

struct Results {
  std::vector<float> logits;
  double loss = 0;
  std::map<std::string, std::vector<float>> gradients;
};

// The library's own model, with parameters by name.
class Reference {
 public:
  explicit Reference(const Options& options)
      : model_(config(options)), parameters_(model_, DType::f32, model::Parameters::Use::training) {
    model::initialize(model_, 3);
    Random random(4);
    const hexapla::Tensor all = parameters_.values();
    for (float& v : all.values<float>()) v += 0.2f * static_cast<float>(random.normal());
  }
  Results run() {
    const auto backend = make_cpu_backend();
    Arena arena(size_t{64} << 20);
    Context cx{*backend, arena};
    cx.training = true;
    model::Transformer::Saved saved;
    Results r;
    const hexapla::Tensor memory = model_.encode(cx, kSource, kSourceOffsets, saved);
    const hexapla::Tensor x = model_.decode(cx, {memory, kSourceOffsets}, kTarget, kTargetOffsets, saved);
    const auto logits = model_.logits(cx, x).values<float>();
    r.logits.assign(logits.begin(), logits.end());
    arena.clear();
    const model::BatchView batch{kSource, kTarget, kLabels, kSourceOffsets, kTargetOffsets};
    r.loss = model_.loss_and_gradient(cx, batch, kSmoothing, kScale, saved).loss;
    for (const auto& [name, p] : by_name()) {
      const auto gradient = p.grad.values<float>();
      r.gradients[name].assign(gradient.begin(), gradient.end());
    }
    return r;
  }
  std::map<std::string, model::Parameter> by_name() {
    std::map<std::string, model::Parameter> all;
    model::for_each<model::Parameter>(model_, [&](const std::string& name, model::Parameter& p) { all[name] = p; });
    return all;
  }

 private:
  static model::Config config(const Options& options) {
    model::Config c = architecture(options);
    c.source_vocab = c.target_vocab = 13;
    return c;
  }
  model::Transformer model_;
  model::Parameters parameters_;
};

// The same model from public layers, with a second embedding for the target if the model has one.
class ByHand {
 public:
  ByHand(const Options& options, std::string tied, bool generator_bias)
      : tied_(std::move(tied)),
        embedding_(13, options),
        target_embedding_(13, options),
        encoder_(options),
        decoder_(options),
        generator_(make_generator(generator_bias)) {}

  // Expects that every given value has a place in the model.
  void take_values(std::map<std::string, model::Parameter> values) {
    for (auto& [name, view] : views()) {
      ASSERT_EQ(values.count(name), 1u) << name;
      ASSERT_EQ(static_cast<int64_t>(view.size), values.at(name).shape.size()) << name;
      std::memcpy(view.values, values.at(name).value.bytes, view.size * sizeof(float));
      values.erase(name);
    }
    EXPECT_TRUE(values.empty()) << values.begin()->first;
  }
  Results run() {
    Results r;
    nn::Workspace work;
    work.begin_training(1, 0);
    r.logits = test::numbers(generator_.forward(work, decode(work)));
    work.begin_training(1, 0);
    const auto [loss, dx] = generator_.loss_and_gradient(work, decode(work), kLabels, kSmoothing, kScale);
    r.loss = loss.smoothed;
    const auto [d, d_memory] = decoder_.backward(work, dx);
    target_embedding().backward(work, d);
    embedding_.backward(work, encoder_.backward(work, d_memory));
    for (const auto& [name, view] : views()) r.gradients[name] = {view.gradients, view.gradients + view.size};
    return r;
  }

 private:
  nn::Embedding& target_embedding() { return tied_ == "all" ? embedding_ : target_embedding_; }
  nn::Generator make_generator(bool bias) {
    if (tied_ == "none") return nn::Generator(6, 13, bias);
    return nn::Generator(target_embedding(), bias);
  }
  nn::Tensor decode(nn::Workspace& work) {
    const nn::Tensor memory = encoder_.forward(work, embedding_.forward(work, kSource, kSourceOffsets), kSourceOffsets);
    const nn::Tensor x = target_embedding().forward(work, kTarget, kTargetOffsets);
    return decoder_.forward(work, {x, memory, kTargetOffsets, kSourceOffsets});
  }
  static void add_embedding(nn::Embedding& from, const std::string& table, const std::string& stack,
                            std::map<std::string, nn::Parameter>& to) {
    for (const nn::Parameter& p : from.parameters()) to.emplace(p.name == "table" ? table : stack + p.name, p);
  }
  // The parameters by their names in the model, without running statistics.
  std::map<std::string, nn::Parameter> views() {
    std::map<std::string, nn::Parameter> all;
    add_embedding(embedding_, "embeddings.0.table", "encoder.", all);
    if (tied_ != "all") add_embedding(target_embedding_, "embeddings.1.table", "decoder.", all);
    const std::vector<std::pair<std::string, nn::Layer*>> others{
        {"encoder.", &encoder_}, {"decoder.", &decoder_}, {"generator.", &generator_}};
    for (const auto& [prefix, layer] : others)
      for (const nn::Parameter& p : layer->parameters())
        if (p.gradients) all.emplace(prefix + p.name, p);
    return all;
  }

  std::string tied_;
  nn::Embedding embedding_, target_embedding_;
  nn::Encoder encoder_;
  nn::Decoder decoder_;
  nn::Generator generator_;
};

struct ModelCase {
  const char* name;
  std::string tied = "all";
  bool generator_bias = false;
  Options options = {};
};

void PrintTo(const ModelCase& c, std::ostream* out) { *out << c.name; }

class NnTransformer : public testing::TestWithParam<ModelCase> {};

TEST_P(NnTransformer, GivesTheBitsOfTheLibrarysOwn) {
  const ModelCase& c = GetParam();
  Options options = c.options;
  options.insert({{"dim_model", 6},
                  {"dim_ff", 8},
                  {"heads", 2},
                  {"dim_key", 3},
                  {"dim_value", 4},
                  {"enc_layers", 2},
                  {"dec_layers", 3},
                  {"dropout", 0},
                  {"tied", c.tied},
                  {"generator_bias", c.generator_bias}});
  Reference reference(options);
  ByHand by_hand(options, c.tied, c.generator_bias);
  by_hand.take_values(reference.by_name());
  const Results expected = reference.run(), found = by_hand.run();
  EXPECT_EQ(found.logits, expected.logits);
  EXPECT_EQ(found.loss, expected.loss);
  EXPECT_EQ(found.gradients, expected.gradients);
}

INSTANTIATE_TEST_SUITE_P(
    All, NnTransformer,
    testing::Values(ModelCase{"paper"}, ModelCase{"pre_norm", "all", false, {{"norm_position", "pre"}}},
                    ModelCase{"batch_norm", "all", false, {{"norm", "batch"}}},
                    ModelCase{"additive", "all", true, {{"score", "additive"}}},
                    ModelCase{"gated_gelu", "decoder", false, {{"activation", "gelu"}, {"gated", true}}},
                    ModelCase{"learned", "decoder", true, {{"positions", "learned"}, {"max_positions", 5}}},
                    ModelCase{"biases", "none", true, {{"attention_bias", true}, {"embedding_norm", true}}}),
    [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace hexapla::api
