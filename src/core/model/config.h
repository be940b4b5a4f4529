#pragma once
// The model's configuration, with the paper's names. Every field is declared once, in rows(), from
// which command line, config file and model file follow.
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/option_row.h"

namespace hexapla::model {

struct Config {
  static constexpr Range<int64_t> kVocabulary{1, 1 << 22}, kLayers{1, 256};
  using Tied = Word<"all", "decoder", "none">;
  using NormPosition = Word<"post", "pre", "post-last">;
  using Positions = Word<"sinusoidal", "learned", "none", "sinusoidal-halves", "timing-signal">;
  using Activation = Word<"relu", "gelu", "swish", "gelu-tanh">;
  using EmbeddingScale = Word<"sqrt", "none">;
  using DecoderMixing = Word<"attention", "ssru">;

  int64_t source_vocab = 0, target_vocab = 0;
  int64_t enc_layers = 6, dec_layers = 6;  // N
  int64_t d_model = 512, d_ff = 2048, heads = 8;
  int64_t d_k = 0, d_v = 0;  // 0: d_model / heads, filled in by resolve()
  double dropout = 0.1;      // P_drop: every sublayer output and the embedding sums
  double attention_dropout = 0, activation_dropout = 0;
  Tied tied = "all";  // source = target embedding = generator; "decoder": target = generator
  // post: LayerNorm(x + Sublayer(x)). pre: x + Sublayer(LayerNorm(x)), and a norm after each stack.
  // post-last: as post, with that norm.
  NormPosition norm_position = "post";
  Word<"layer", "batch", "none"> norm = "layer";
  Positions positions = "sinusoidal";
  int64_t max_positions = 1024;  // only for learned positions
  int64_t first_position = 0;    // only for sinusoids
  Word<"scaled-dot", "dot", "additive", "sigmoid", "relu", "unnormalized", "top-4", "linear-kernel"> score =
      "scaled-dot";
  Activation activation = "relu";
  bool gated = false;  // FFN(x) = (f(x W1 + b1) * (x V + c)) W2 + b2
  bool attention_bias = false, generator_bias = false;
  bool embedding_norm = false;  // LayerNorm on the embedded input
  EmbeddingScale embedding_scale = "sqrt";
  double norm_eps = 1e-6;
  Word<"attention", "gru", "convolution"> encoder_mixing = "attention";  // replaces self-attention in the encoder
  int64_t kernel_width = 3;                                              // only for a convolution
  Word<"causal", "none"> decoder_mask = "causal";
  DecoderMixing decoder_mixing = "attention";  // replaces self-attention in the decoder
  int64_t experts = 0;                         // E; 0: one feed-forward network
  int64_t experts_per_token = 1, d_expert = 0;
  double expert_capacity = 0, load_balancing = 0.01;  // in training only

  // A row for every field that a user sets, under the command line's name. Ranges go far beyond any real model; values
  // within them cannot overflow or take time or memory out of proportion to the size of the model file.
  OptionRows rows();

  // Whether a field affects training only: models that differ only in it compute the same.
  static bool of_training_alone(const std::string& name);

  // Sets d_k and d_v and checks every value: UsageError naming the option, the value and what is
  // allowed.
  void resolve();

  // The width of one expert.
  int64_t expert_width() const { return d_expert > 0 ? d_expert : d_ff; }

  // Whether a norm follows each stack.
  bool has_last_norm() const { return norm_position != "post"; }

  // Whether attention weights are a softmax of scores.
  bool softmax() const { return score == "scaled-dot" || score == "dot" || score == "additive"; }

  // "tiny" (4+4, 128/256, 4 heads), "small" (6+6, 512/1024, 4), "base" and "big", the paper's.
  static Config preset(const std::string& name);
  static const std::vector<std::string>& preset_names();

  // Fields added after the first version are left out if they have their defaults, so that such a
  // model keeps its bytes.
  std::string to_json() const;
  static Config from_json(const std::string& text, const std::string& file);  // DataError names the file and the key
};

}  // namespace hexapla::model
