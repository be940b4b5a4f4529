// A gradient reported as final is final: nothing later in the backward pass changes it, whatever
// layers the model has.
#include "train/shards/layer_segments.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "backend/cpu/cpu.h"
#include "train/plan/objective.h"

namespace hexapla::train {
namespace {

// Records the gradients at the time they were reported final.
class Recorder final : public GradientListener {
 public:
  Recorder(LayerSegments segments, Tensor gradients) : segments_(std::move(segments)), gradients_(gradients) {}
  void final_from(Stack stack, int layer) override {
    told.push_back(segments_.of_layer(stack, layer));
    const int64_t from = segments_.starts.at(static_cast<size_t>(told.back()) - 1);
    then_.emplace_back(
        from, std::vector<float>(gradients_.data<float>() + from, gradients_.data<float>() + gradients_.size()));
  }
  // Do the gradients that were reported final still have their values?
  bool unchanged() const {
    for (const auto& [from, numbers] : then_)
      if (std::memcmp(numbers.data(), gradients_.data<float>() + from, numbers.size() * sizeof(float)) != 0)
        return false;
    return true;
  }
  std::vector<int> told;

 private:
  LayerSegments segments_;
  Tensor gradients_;
  std::vector<std::pair<int64_t, std::vector<float>>> then_;
};

data::Batch batch_with_links() {
  data::Batch b;
  b.source_offsets = {0, 3, 8, 9};
  b.target_offsets = {0, 5, 9, 12};
  for (int32_t i = 0; i < 9; ++i) b.source.push_back(3 + i * 7 % 30);
  for (int32_t i = 0; i < 12; ++i) b.target_in.push_back(3 + i * 5 % 30), b.target_out.push_back(3 + i * 11 % 30);
  b.link_offsets = {0};
  for (int32_t i = 0; i < 12; ++i) {
    if (i != 6) b.linked.push_back(0);  // every token but one links to its first source token
    b.link_offsets.push_back(static_cast<int32_t>(b.linked.size()));
  }
  b.lines = {1, 2, 3};
  b.corpora = {0, 0, 0};
  return b;
}

void check(const model::Config& config, const Objective& objective) {
  model::Transformer model(config);
  model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  model::initialize(model, 1);
  const auto backend = make_cpu_backend();
  Arena arena(size_t{64} << 20);
  Context cx{*backend, arena};
  cx.training = true;
  const LayerSegments segments = layer_segments(model, parameters);
  Recorder recorder(segments, parameters.gradients());
  cx.listener = &recorder;
  model::Transformer::Saved saved;
  data::Batch batch = batch_with_links();
  if (objective.guidance.weight == 0) batch.link_offsets.clear(), batch.linked.clear();
  loss_and_gradient(cx, model, batch, objective, 0.1, saved);
  EXPECT_TRUE(recorder.unchanged());
  std::vector<int> all;
  for (int segment = static_cast<int>(segments.starts.size()); segment > 0; --segment) all.push_back(segment);
  EXPECT_EQ(recorder.told, all) << "from the last to the first";
  EXPECT_EQ(segments.starts.size(), static_cast<size_t>(config.enc_layers + config.dec_layers));
  // Every layer has a gradient, so a change would have been visible.
  for (const int64_t start : segments.starts) {
    const float* const from = parameters.gradients().data<float>() + start;
    EXPECT_TRUE(std::any_of(from, from + 64, [](float x) { return x != 0; })) << start;
  }
}

struct Variant {
  const char* name;
  std::function<void(model::Config&)> change;
};
void PrintTo(const Variant& v, std::ostream* to) { *to << v.name; }

class FinalGradients : public testing::TestWithParam<Variant> {};

TEST_P(FinalGradients, StayAsTheyWere) {
  for (const char* tied : {"all", "decoder", "none"})
    for (const Objective& objective : {Objective{0.1}, Objective{0.1, {1, 0, 0.3}}}) {
      model::Config c;
      c.source_vocab = c.target_vocab = 40;
      c.enc_layers = 2, c.dec_layers = 3;
      c.d_model = 16, c.d_ff = 32, c.heads = 2;
      c.tied = c.tied.parse("tied", tied);
      GetParam().change(c);
      c.resolve();
      if (objective.guidance.weight > 0 && c.score != "scaled-dot") continue;
      SCOPED_TRACE(cat(tied, ", guide ", objective.guidance.weight));
      check(c, objective);
    }
}

using model::Config;
INSTANTIATE_TEST_SUITE_P(
    Of, FinalGradients,
    testing::Values(
        Variant{"paper", [](Config&) {}}, Variant{"pre_norm", [](Config& c) { c.norm_position = "pre"; }},
        Variant{"post_last", [](Config& c) { c.norm_position = "post-last", c.attention_dropout = 0.1; }},
        Variant{"no_norm_learned_positions", [](Config& c) { c.norm = "none", c.positions = "learned"; }},
        Variant{"embedding_norm_and_biases",
                [](Config& c) {
                  c.embedding_norm = c.attention_bias = c.generator_bias = true;
                  c.positions = "learned";
                }},
        Variant{"experts", [](Config& c) { c.experts = 3, c.experts_per_token = 2, c.expert_capacity = 1; }},
        Variant{"gated_pre_norm",
                [](Config& c) { c.gated = true, c.norm_position = "pre", c.activation_dropout = 0.1; }},
        Variant{"recurrences", [](Config& c) { c.encoder_mixing = "gru", c.decoder_mixing = "ssru"; }},
        Variant{"convolution_additive", [](Config& c) { c.encoder_mixing = "convolution", c.score = "additive"; }},
        Variant{"no_softmax", [](Config& c) { c.score = "sigmoid", c.decoder_mask = "none"; }},
        Variant{"batch_norm", [](Config& c) { c.norm = "batch"; }}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hexapla::train
