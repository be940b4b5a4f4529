#pragma once
// The model's configuration, with the paper's names. Every field is declared once, in visit(), from
// which command line, config file and model file follow.
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"

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

  // Calls f(name, field, help, allowed, when) for every field that a user sets. name is the command
  // line's; allowed is a number's Range, a word's Choices, or AnyValue. Ranges go far beyond any
  // real model; values within them cannot overflow or take time or memory out of proportion to the
  // size of the model file.
  template <class Self, class F>
  static void visit(Self& c, F&& f) {
    const When mixture{c.experts > 0, "is for a mixture of experts: give their number with `experts`, or leave it out"};
    const When normed{c.norm != "none", "is for norms, but `norm` is none: choose a norm, or leave it out"};
    f("enc-layers", c.enc_layers, "encoder layers", kLayers, kAlways);
    f("dec-layers", c.dec_layers, "decoder layers", kLayers, kAlways);
    f("dim-model", c.d_model, "width of the model, d_model", Range<int64_t>{1, 1 << 16}, kAlways);
    f("dim-ff", c.d_ff, "width inside the feed-forward network, d_ff", Range<int64_t>{1, 1 << 20},
      When{c.experts == 0 || c.d_expert == 0,
           "is the width of experts where `dim-expert` is not given: leave one of them out"});
    f("heads", c.heads, "attention heads, h", Range<int64_t>{1, 1 << 12}, kAlways);
    f("dim-key", c.d_k, "width of a query or key in one head, d_k; 0: `dim-model` / `heads`",
      Range<int64_t>{0, 1 << 16}, kAlways);
    f("dim-value", c.d_v, "width of a value in one head, d_v; 0: `dim-model` / `heads`", Range<int64_t>{0, 1 << 16},
      kAlways);
    f("dropout", c.dropout, "dropout on sublayer outputs and embedding sums, P_drop", ranges::kBelow1, kAlways);
    f("attention-dropout", c.attention_dropout, "dropout on attention weights", ranges::kBelow1, kAlways);
    f("activation-dropout", c.activation_dropout, "dropout inside the feed-forward network", ranges::kBelow1, kAlways);
    f("tied", c.tied, "which embedding matrices are shared", c.tied.choices(), kAlways);
    f("norm-position", c.norm_position,
      "norm after (the paper) or before each sublayer; post-last: after each sublayer and after each stack",
      c.norm_position.choices(), normed);
    f("norm", c.norm, "kind of norm", c.norm.choices(), kAlways);
    f("positions", c.positions, "kind of positional encoding", c.positions.choices(), kAlways);
    f("max-positions", c.max_positions, "longest sequence that learned positions can take", Range<int64_t>{1, 1 << 24},
      When{c.positions == "learned", "is for `positions` learned: choose those, or leave it out"});
    f("first-position", c.first_position, "position of a sentence's first token, of sinusoids", Range<int64_t>{0, 1024},
      When{c.positions != "learned" && c.positions != "none",
           "is for sinusoids, but `positions` is another: leave one of them out"});
    f("score", c.score, "attention score; the last five use scaled products without a softmax, slowly",
      c.score.choices(), kAlways);
    f("activation", c.activation, "activation of the feed-forward network", c.activation.choices(), kAlways);
    f("gated", c.gated, "gated feed-forward network", AnyValue{}, kAlways);
    f("attention-bias", c.attention_bias, "biases in the attention projections", AnyValue{}, kAlways);
    f("generator-bias", c.generator_bias, "bias in the output projection", AnyValue{}, kAlways);
    f("embedding-norm", c.embedding_norm, "LayerNorm on the embedded input", AnyValue{}, kAlways);
    f("embedding-scale", c.embedding_scale, "factor for embeddings: sqrt of `dim-model` (the paper), or none",
      c.embedding_scale.choices(), kAlways);
    f("norm-eps", c.norm_eps, "epsilon inside the norms", Range<double>{.least = 0, .most = 1, .open_least = true},
      When{c.norm != "none" || c.embedding_norm, "is for norms, but `norm` is none: choose a norm, or leave it out"});
    f("encoder-mixing", c.encoder_mixing, "how the encoder mixes tokens; the paper: attention",
      c.encoder_mixing.choices(), kAlways);
    f("kernel-width", c.kernel_width, "width of the convolution in tokens, an odd number", Range<int64_t>{1, 255},
      When{c.encoder_mixing == "convolution", "is for `encoder-mixing` convolution: choose that, or leave it out"});
    f("decoder-mask", c.decoder_mask, "none: in training the decoder sees the words that it is to predict",
      c.decoder_mask.choices(),
      When{c.decoder_mixing == "attention",
           "is for attention, but `decoder-mixing` is another: leave one of them out"});
    f("decoder-mixing", c.decoder_mixing, "how the decoder mixes tokens; the paper: attention",
      c.decoder_mixing.choices(), kAlways);
    f("experts", c.experts,
      "number of networks in a mixture of experts that replaces the feed-forward network; 0: none",
      Range<int64_t>{0, 128}, kAlways);
    f("experts-per-token", c.experts_per_token, "experts per token, 1 or 2", Range<int64_t>{1, 2}, mixture);
    f("dim-expert", c.d_expert, "width inside one expert; 0: `dim-ff`", Range<int64_t>{0, 1 << 20}, mixture);
    f("expert-capacity", c.expert_capacity,
      "in training an expert takes at most this times its even share of the tokens; the others skip it; 0: no limit",
      Range<double>{.least = 0, .most = 1e6}, mixture);
    f("load-balancing", c.load_balancing, "weight of the loss that spreads tokens over the experts",
      Range<double>{.least = 0, .most = 1e6}, mixture);
  }

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
