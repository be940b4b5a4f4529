#include "model/config.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/options/option_json.h"

namespace hexapla::model {
namespace {

int64_t head_width(int64_t asked, const Config& c) {
  if (asked > 0) return asked;
  if (c.d_model % c.heads != 0)
    throw UsageError(cat("`dim-model` ", c.d_model, " is not a multiple of `heads` ", c.heads,
                         "; choose another number, ", "or give `dim-key` and `dim-value`"));
  return c.d_model / c.heads;
}

void check_encoder(const Config& c) {
  if (c.encoder_mixing == "gru" && c.d_model % 2 != 0)
    throw UsageError(cat("`encoder-mixing` gru has half of `dim-model` for each direction, but ", c.d_model,
                         " is odd; choose an even number"));
  if (c.kernel_width % 2 == 0)
    throw UsageError(
        cat("`kernel-width` ", c.kernel_width, " is even, but the kernel is centered, so its width must be odd"));
}

void check_decoder(const Config& c) {
  if (c.decoder_mixing != "attention" && c.decoder_mask != "causal")
    throw UsageError(cat("`decoder-mask` ", c.decoder_mask, " is for attention, but `decoder-mixing` is ",
                         c.decoder_mixing, "; leave one of them out"));
}

void check_experts(const Config& c) {
  if (c.experts == 0) return;
  if (c.experts_per_token > c.experts)
    throw UsageError(cat("`experts-per-token` ", c.experts_per_token, " is more than the ", c.experts,
                         " of `experts`; raise `experts`, or lower `experts-per-token`"));
  if (c.gated)
    throw UsageError(cat("`experts` ", c.experts, " are not gated networks; leave `gated` or `experts` out"));
}

void check_positions(const Config& c) {
  const bool sinusoids = c.positions != "learned" && c.positions != "none";
  if (c.first_position > 0 && !sinusoids)
    throw UsageError(cat("`first-position` ", c.first_position, " is for sinusoids, but `positions` is ", c.positions,
                         "; leave one of them out"));
  if (c.positions == "timing-signal" && c.d_model % 2 != 0)
    throw UsageError(cat("`positions` timing-signal has a sine and a cosine for each half of `dim-model`, but ",
                         c.d_model, " is odd; choose an even number"));
}

// Fields that older files do not have.
bool came_later(std::string_view name) {
  constexpr std::string_view later[] = {"encoder-mixing",    "kernel-width",    "decoder-mask",    "experts",
                                        "experts-per-token", "dim-expert",      "expert-capacity", "load-balancing",
                                        "first-position",    "embedding-scale", "decoder-mixing"};
  return std::find(std::begin(later), std::end(later), name) != std::end(later);
}

// Empties an object before its destructor runs, because the destructor allocates memory for the
// members and ends the program if there is none.
struct Emptied {
  nlohmann::json& object;
  ~Emptied() {
    if (object.is_object()) object.get_ref<nlohmann::json::object_t&>().clear();
  }
};

nlohmann::ordered_json fields_of(const Config& c) {
  nlohmann::ordered_json j;
  for (const OptionRow& row : rows_of(c)) j[row.name] = json_of(row);
  return j;
}

}  // namespace

OptionRows Config::rows() {
  const When mixture{experts > 0, "is for a mixture of experts: give their number with `experts`, or leave it out"};
  const When normed{norm != "none", "is for norms, but `norm` is none: choose a norm, or leave it out"};
  OptionTable rows;
  rows.add({"enc-layers", enc_layers, "encoder layers", kLayers});
  rows.add({"dec-layers", dec_layers, "decoder layers", kLayers});
  rows.add({"dim-model", d_model, "width of the model, d_model", Range<int64_t>{1, 1 << 16}});
  rows.add({"dim-ff", d_ff, "width inside the feed-forward network, d_ff", Range<int64_t>{1, 1 << 20},
            When{experts == 0 || d_expert == 0,
                 "is the width of experts where `dim-expert` is not given: leave one of them out"}});
  rows.add({"heads", heads, "attention heads, h", Range<int64_t>{1, 1 << 12}});
  rows.add({"dim-key", d_k, "width of a query or key in one head, d_k; 0: `dim-model` / `heads`",
            Range<int64_t>{0, 1 << 16}});
  rows.add(
      {"dim-value", d_v, "width of a value in one head, d_v; 0: `dim-model` / `heads`", Range<int64_t>{0, 1 << 16}});
  rows.add({"dropout", dropout, "dropout on sublayer outputs and embedding sums, P_drop", ranges::kBelow1});
  rows.add({"attention-dropout", attention_dropout, "dropout on attention weights", ranges::kBelow1});
  rows.add({"activation-dropout", activation_dropout, "dropout inside the feed-forward network", ranges::kBelow1});
  rows.add({"tied", tied, "which embedding matrices are shared"});
  rows.add({"norm-position", norm_position,
            "norm after (the paper) or before each sublayer; post-last: after each sublayer and after each stack",
            normed});
  rows.add({"norm", norm, "kind of norm"});
  rows.add({"positions", positions, "kind of positional encoding"});
  rows.add({"max-positions", max_positions, "longest sequence that learned positions can take",
            Range<int64_t>{1, 1 << 24},
            When{positions == "learned", "is for `positions` learned: choose those, or leave it out"}});
  rows.add({"first-position", first_position, "position of a sentence's first token, of sinusoids",
            Range<int64_t>{0, 1024},
            When{positions != "learned" && positions != "none",
                 "is for sinusoids, but `positions` is another: leave one of them out"}});
  rows.add({"score", score, "attention score; the last five use scaled products without a softmax, slowly"});
  rows.add({"activation", activation, "activation of the feed-forward network"});
  rows.add({"gated", gated, "gated feed-forward network", AnyValue{}});
  rows.add({"attention-bias", attention_bias, "biases in the attention projections", AnyValue{}});
  rows.add({"generator-bias", generator_bias, "bias in the output projection", AnyValue{}});
  rows.add({"embedding-norm", embedding_norm, "LayerNorm on the embedded input", AnyValue{}});
  rows.add({"embedding-scale", embedding_scale, "factor for embeddings: sqrt of `dim-model` (the paper), or none"});
  rows.add(
      {"norm-eps", norm_eps, "epsilon inside the norms", Range<double>{.least = 0, .most = 1, .open_least = true},
       When{norm != "none" || embedding_norm, "is for norms, but `norm` is none: choose a norm, or leave it out"}});
  rows.add({"encoder-mixing", encoder_mixing, "how the encoder mixes tokens; the paper: attention"});
  rows.add(
      {"kernel-width", kernel_width, "width of the convolution in tokens, an odd number", Range<int64_t>{1, 255},
       When{encoder_mixing == "convolution", "is for `encoder-mixing` convolution: choose that, or leave it out"}});
  rows.add({"decoder-mask", decoder_mask, "none: in training the decoder sees the words that it is to predict",
            When{decoder_mixing == "attention",
                 "is for attention, but `decoder-mixing` is another: leave one of them out"}});
  rows.add({"decoder-mixing", decoder_mixing, "how the decoder mixes tokens; the paper: attention"});
  rows.add({"experts", experts,
            "number of networks in a mixture of experts that replaces the feed-forward network; 0: none",
            Range<int64_t>{0, 128}});
  rows.add({"experts-per-token", experts_per_token, "experts per token, 1 or 2", Range<int64_t>{1, 2}, mixture});
  rows.add({"dim-expert", d_expert, "width inside one expert; 0: `dim-ff`", Range<int64_t>{0, 1 << 20}, mixture});
  rows.add(
      {"expert-capacity", expert_capacity,
       "in training an expert takes at most this times its even share of the tokens; the others skip it; 0: no limit",
       Range<double>{.least = 0, .most = 1e6}, mixture});
  rows.add({"load-balancing", load_balancing, "weight of the loss that spreads tokens over the experts",
            Range<double>{.least = 0, .most = 1e6}, mixture});
  return rows;
}

bool Config::of_training_alone(const std::string& name) {
  return name.find("dropout") != std::string::npos || name == "expert-capacity" || name == "load-balancing";
}

void Config::resolve() {
  for (const OptionRow& row : rows()) row.check();
  d_k = head_width(d_k, *this);
  d_v = head_width(d_v, *this);
  if (!softmax() && attention_dropout > 0)
    throw UsageError(cat("`score` ", score, " has no `attention-dropout`, which is ", attention_dropout,
                         "; set it to 0, or choose another score"));
  check_encoder(*this);
  check_decoder(*this);
  check_positions(*this);
  check_experts(*this);
  if (tied == "all" && source_vocab != target_vocab)
    throw UsageError(cat("`tied` all needs one vocabulary, but the source has ", source_vocab,
                         " pieces and the target ", target_vocab, "; use `tied` decoder"));
}

const std::vector<std::string>& Config::preset_names() {
  static const std::vector<std::string> names{"tiny", "small", "base", "big"};
  return names;
}

Config Config::preset(const std::string& name) {
  check_choice(preset_names(), "preset", name);
  Config c;
  if (name == "tiny") c.enc_layers = c.dec_layers = 4, c.d_model = 128, c.d_ff = 256, c.heads = 4;
  if (name == "small") c.d_ff = 1024, c.heads = 4;
  if (name == "big") c.d_model = 1024, c.d_ff = 4096, c.heads = 16, c.dropout = 0.3;
  return c;
}

std::string Config::to_json() const {
  nlohmann::ordered_json j;
  j["source-vocab"] = source_vocab;
  j["target-vocab"] = target_vocab;
  const nlohmann::ordered_json fields = fields_of(*this), usual = fields_of({});
  for (const auto& [name, value] : fields.items())
    if (!came_later(name) || value != usual.at(name)) j[name] = value;
  return json_text(j);
}

Config Config::from_json(const std::string& text, const std::string& file) {
  Config c;
  std::string key;
  try {
    auto j = parse_json(text, cat(file, ": the model's configuration"));
    const Emptied at_the_end{j};
    OptionTable sizes;
    sizes.add({"source-vocab", c.source_vocab, "", kVocabulary});
    sizes.add({"target-vocab", c.target_vocab, "", kVocabulary});
    for (const OptionRow& row : OptionRows(sizes) + c.rows())
      if (!came_later(row.name) || j.contains(row.name)) set_recorded(row, j.at(key = row.name));
    key.clear();
    for (const OptionRow& row : OptionRows(sizes)) row.check();
    c.resolve();
  } catch (const nlohmann::json::exception& e) {
    throw DataError(cat(file, ": the model's configuration is damaged at '", key, "': ", e.what()));
  } catch (const UsageError& e) {
    std::string what = e.what();
    std::erase(what, '`');  // here it is a field, not an option
    throw DataError(
        cat(file, ": the model's configuration is damaged", key.empty() ? "" : " at '" + key + "'", ": ", what));
  }
  return c;
}

}  // namespace hexapla::model
