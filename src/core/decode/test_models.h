#pragma once
// Small models with random weights, for the tests of this folder.
#include <memory>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "decode/search/search.h"
#include "model/parameters/parameters.h"

namespace hexapla::decode::test {

std::unique_ptr<Backend> make_backend();  // in test_models_test.cpp: this folder depends on no device

inline model::Config small_config() {
  model::Config c;
  c.source_vocab = c.target_vocab = 24;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 16;
  c.d_ff = 24;
  c.heads = 2;
  c.tied = "decoder";
  c.generator_bias = true;
  return c;
}

struct Variant {
  std::string name;
  model::Config config;
  friend std::ostream& operator<<(std::ostream& out, const Variant& v) { return out << v.name; }
};

// Every variant of the decoder.
inline std::vector<Variant> variants() {
  std::vector<Variant> all{{"paper", small_config()}};
  const auto add = [&](const char* name, auto&& change) {
    all.push_back({name, small_config()});
    change(all.back().config);
  };
  add("pre_norm", [](model::Config& c) { c.norm_position = "pre"; });
  add("post_norm_and_last", [](model::Config& c) { c.norm_position = "post-last"; });
  add("learned_positions", [](model::Config& c) { c.positions = "learned", c.max_positions = 40; });
  add("additive_score", [](model::Config& c) { c.score = "additive"; });
  add("sigmoid", [](model::Config& c) { c.score = "sigmoid"; });
  add("relu_score", [](model::Config& c) { c.score = "relu"; });
  add("unnormalized", [](model::Config& c) { c.score = "unnormalized"; });
  add("top_4", [](model::Config& c) { c.score = "top-4"; });
  add("linear_kernel", [](model::Config& c) { c.score = "linear-kernel"; });
  add("dot_score", [](model::Config& c) { c.score = "dot"; });
  add("gated", [](model::Config& c) { c.gated = true, c.activation = "swish"; });
  add("own_widths", [](model::Config& c) { c.d_k = 5, c.d_v = 7; });
  add("no_positions", [](model::Config& c) { c.positions = "none"; });
  add("halves", [](model::Config& c) { c.positions = "sinusoidal-halves", c.embedding_scale = "none"; });
  add("timing_signal", [](model::Config& c) { c.positions = "timing-signal", c.first_position = 2; });
  add("no_norm", [](model::Config& c) { c.norm = "none"; });
  add("gru", [](model::Config& c) { c.encoder_mixing = "gru"; });
  add("convolution", [](model::Config& c) { c.encoder_mixing = "convolution"; });
  add("ssru", [](model::Config& c) { c.decoder_mixing = "ssru"; });
  add("pre_norm_ssru", [](model::Config& c) {
    c.decoder_mixing = "ssru", c.norm_position = "pre", c.d_k = 2,
    c.d_v = 3;  // its state is wider than keys and values
  });
  add("experts", [](model::Config& c) { c.experts = 4, c.expert_capacity = 0.5; });
  add("two_experts", [](model::Config& c) {
    c.experts = 3, c.experts_per_token = 2, c.d_expert = 9, c.activation = "gelu", c.norm_position = "pre";
  });
  add("batch_norm", [](model::Config& c) { c.norm = "batch"; });
  add("everything_else", [](model::Config& c) {
    c.tied = "none", c.attention_bias = true, c.embedding_norm = true, c.norm_position = "pre", c.activation = "gelu";
    c.enc_layers = 1, c.dec_layers = 3;
  });
  return all;
}

inline const SpecialIds kSpecials{1, 2, 0};

// Weights are larger than in a new model, so that translations differ and have many lengths.
struct TestModel {
  model::Transformer model;
  model::Parameters parameters;

  explicit TestModel(model::Config c, DType dtype = DType::f32, uint64_t seed = 7)
      : model((c.resolve(), c)), parameters(model, dtype, model::Parameters::Use::inference) {
    model::initialize(model, seed);
    Random random(seed, 1000);
    const auto shake = [&](auto* values, int64_t n) {
      for (int64_t i = 0; i < n; ++i) values[i] += static_cast<std::decay_t<decltype(*values)>>(0.3 * random.normal());
    };
    const Tensor v = parameters.values();
    dtype == DType::f64 ? shake(v.data<double>(), v.size()) : shake(v.data<float>(), v.size());
  }
  // The backend of this run of the tests, HEXAPLA_DEVICE; from now on the parameters lie in its memory.
  std::unique_ptr<Backend> on_backend() {
    auto backend = make_backend();
    parameters.move_to(*backend);
    return backend;
  }
  // The bias of a piece: how probable it is, whatever the source.
  void set_bias(int32_t piece, float bias) {
    parameters.on_host([&] { model.generator.bias->value.data<float>()[piece] = bias; });
  }
};

// Sentences of 1 to `longest` tokens with </s>, from a vocabulary of `size` pieces, four of which
// are special.
inline std::vector<text::Ids> random_sentences(int n, int longest, int size, uint64_t seed = 3) {
  Random random(seed);
  std::vector<text::Ids> all(n);
  for (text::Ids& ids : all) {
    for (uint32_t i = random.below(longest); i > 0; --i)
      ids.push_back(4 + static_cast<int32_t>(random.below(size - 4)));
    ids.push_back(kSpecials.eos);
  }
  return all;
}

}  // namespace hexapla::decode::test
