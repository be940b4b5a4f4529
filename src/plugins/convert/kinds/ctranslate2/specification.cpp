#include "convert/kinds/ctranslate2/specification.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "convert/kinds/layer_names.h"
#include "convert/kinds/positions.h"
#include "convert/kinds/zero_start.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr const char* kScaledSource = "source table";  // computed tensors
constexpr const char* kScaledTarget = "target table";
constexpr const char* kProjection = "decoder/projection/weight";

// Last parts of attribute names: those that are read, here or for the vocabularies, and those
// without effect, with the reason. check() rejects all others as unused.
constexpr std::string_view kAttributes[] = {
    "num_heads",
    "pre_norm",
    "activation",
    "scale_embeddings",
    "multiply_by_sqrt_depth",
    "scale_outputs",
    "start_from_zero_embedding",
    "alibi",
    "alignment_layer",
    "alignment_heads",
    "unk_token",
    "bos_token",
    "eos_token",
    "with_source_bos",
    "with_source_eos",
    "with_target_bos",
    "user_decoder_start_tokens",
    "embeddings_merge",       // there is only one source table, so nothing is merged
    "multi_query_attention",  // for tensor parallelism; the shapes of the weights show it, too
    "alibi_use_positive_positions",
    "scale_alibi"  // ALiBi is off
};

NormNames norm_names(const std::string& scope) { return {scope + "/gamma", scope + "/beta"}; }

LinearNames linear_at(const std::string& scope, bool bias) {
  LinearNames names{{{scope + "/weight"}}, {}};
  if (bias) names.biases.push_back({scope + "/bias"});
  return names;
}

AttentionNames attention_at(const std::string& scope, bool cross, bool bias) {
  AttentionNames names{.into = linear_at(scope + "/linear_0", bias),
                       .of_memory = {},
                       .output = linear_at(scope + (cross ? "/linear_2" : "/linear_1"), bias),
                       .norm = norm_names(scope + "/layer_norm")};
  if (cross) names.of_memory = linear_at(scope + "/linear_1", bias);
  return names;
}

FeedForwardNames feed_forward_at(const std::string& scope, bool gated) {
  FeedForwardNames names{linear_at(scope + "/linear_0", true),
                         {},
                         linear_at(scope + "/linear_1", true),
                         norm_names(scope + "/layer_norm")};
  if (gated) names.linear = linear_at(scope + "/linear_0_noact", true);
  return names;
}

bool is_attribute(const ForeignTensor& t) {
  const bool text = t.type == ElementType::i8 && t.shape.size() == 1;
  const std::string last = t.name.substr(t.name.rfind('/') + 1);
  const bool known = std::find(std::begin(kAttributes), std::end(kAttributes), last) != std::end(kAttributes);
  return known && (t.count() == 1 || text);
}

void add_ctranslate2_layers(const Config& c, WeightNames& names) {
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat("encoder/layer_", i);
    names.encoder_layer(i, attention_at(layer + "/self_attention", false, c.attention_bias),
                        feed_forward_at(layer + "/ffn", c.gated));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat("decoder/layer_", i);
    names.decoder_layer(i, attention_at(layer + "/self_attention", false, c.attention_bias),
                        attention_at(layer + "/attention", true, c.attention_bias),
                        feed_forward_at(layer + "/ffn", c.gated));
  }
}

}  // namespace

Specification::Specification(const CTranslate2File& file) : file_(file) {
  // The first models were named by their size; the very first had no name.
  for (const char* known : {"TransformerSpec", "TransformerBase", "TransformerBig", ""})
    if (file.specification() == known) return;
  throw DataError(
      cat(file.path(), ": it is a ", file.specification(), "; read is TransformerSpec, an encoder with a decoder"));
}

Config Specification::config(AdjustedTensors& tensors) const {
  check_known();
  Config c;
  c.enc_layers = layers("encoder"), c.dec_layers = layers("decoder");
  c.source_vocab = extent(embeddings("encoder"), 0), c.target_vocab = extent(embeddings("decoder"), 0);
  c.d_model = extent(embeddings("decoder"), 1);
  c.d_ff = extent("encoder/layer_0/ffn/linear_0/weight", 0);
  c.heads = whole("num_heads", file_.specification() == "TransformerBig" ? 16 : 8);
  c.norm_position = whole("pre_norm", 1) != 0         ? "pre"
                    : has("encoder/layer_norm/gamma") ? "post-last"
                                                      : Config::NormPosition("post");
  c.activation = activation();
  c.gated = has("encoder/layer_0/ffn/linear_0_noact/weight");
  c.attention_bias = has("encoder/layer_0/self_attention/linear_0/bias");
  c.generator_bias = zero_start() || has("decoder/projection/bias");
  c.embedding_norm = has("encoder/layernorm_embedding/gamma");
  tie(c, tensors);
  set_positions(c);
  c.target_vocab += zero_start();
  if (c.tied == "all") c.source_vocab = c.target_vocab;
  return c;
}

bool Specification::zero_start() const { return file_.number("decoder/start_from_zero_embedding").value_or(0) != 0; }

std::string Specification::embeddings(const std::string& side) const {
  if (has(side + "/embeddings_1/weight"))
    refuse("encoder/embeddings_1/weight", "sources with features beside their tokens are not read");
  return side + (has(side + "/embeddings_0/weight") ? "/embeddings_0/weight" : "/embeddings/weight");
}

// The factor of a side's embeddings: a flag for sqrt(d_model), or the number itself.
double Specification::embedding_scale(const std::string& side, int64_t d_model) const {
  const double root = std::sqrt(static_cast<double>(d_model));
  for (const char* name : {"/scale_embeddings", "/embeddings/multiply_by_sqrt_depth"})
    if (const ForeignTensor* found = file_.find(side + name)) {
      const double value = *file_.number(found->name);
      return found->type != ElementType::i8 ? value : value != 0 ? root : 1;
    }
  return root;
}

int64_t Specification::extent(const std::string& name, size_t i) const {
  const ForeignTensor& t = file_.get(name);
  if (t.shape.size() != 2) refuse(name, cat("it is ", t.text(), ", and should be a matrix"));
  return static_cast<int64_t>(t.shape[i]);
}

int64_t Specification::layers(const std::string& side) const {
  int64_t n = 0;
  while (n < Config::kLayers.most && has(cat(side, "/layer_", n, "/ffn/linear_0/weight"))) ++n;
  return n;
}

// An attribute that must be the same on both sides; before revision 5 it had no side.
int64_t Specification::whole(const std::string& name, int64_t otherwise) const {
  const auto of = [&](const std::string& side) {
    const std::optional<float> own = file_.number(side + name);
    return own ? own : file_.number(name);
  };
  const std::optional<float> encoder = of("encoder/"), decoder = of("decoder/");
  if (encoder != decoder) refuse("decoder/" + name, "it differs from that of the encoder, which no model of ours can");
  return encoder && std::fabs(*encoder) < 1e6F ? std::lround(*encoder) : otherwise;
}

int64_t Specification::attribute_of_decoder(const std::string& name, int64_t otherwise) const {
  std::optional<float> value = file_.number("decoder/" + name);
  if (!value) value = file_.number(name);
  return value && std::fabs(*value) < 1e6F ? std::lround(*value) : otherwise;
}

Config::Activation Specification::activation() const {
  const int64_t number = whole("activation", 0);
  if (number == 0) return "relu";
  if (number == 1) return "gelu-tanh";
  if (number == 2) return "swish";
  if (number == 3) return "gelu";
  refuse("encoder/activation",
         cat("it is ", number, "; read are 0 (ReLU), 1 (GELU by a tanh), 2 (swish) and 3 (GELU)"));
}

void Specification::check_known() const {
  if (file_.number("decoder/alibi").value_or(0) != 0) refuse("decoder/alibi", "it is on, which no model of ours has");
  if (file_.number("decoder/scale_outputs").value_or(1) != 1) refuse("decoder/scale_outputs", "it is not 1");
  for (const ForeignTensor& t : file_.list())
    if (t.name.ends_with("/queries_scale") || t.name.ends_with("/sliding_window") || t.name.ends_with("/rotary_dim"))
      refuse(t.name, "no model of ours has this kind of attention");
}

void Specification::refuse(const std::string& name, const std::string& why) const {
  throw DataError(cat(file_.path(), ": the variable ", name, ": ", why));
}

bool Specification::equal(const std::string& a, const std::string& b) const {
  const ForeignTensor &x = file_.get(a), &y = file_.get(b);
  return x.shape == y.shape && file_.read(x) == file_.read(y);
}

// Decides which tables are tied. If the embedding scale is not one of ours, the scaled embeddings
// differ from the generator's table.
void Specification::tie(Config& c, AdjustedTensors& tensors) const {
  const std::string source = embeddings("encoder"), target = embeddings("decoder");
  const double of_source = embedding_scale("encoder", c.d_model), of_target = embedding_scale("decoder", c.d_model);
  const double root = std::sqrt(static_cast<double>(c.d_model));
  const auto is = [](double a, double b) { return std::fabs(a - b) < 1e-5 * b; };
  const bool known = is(of_source, of_target) && (is(of_target, root) || is(of_target, 1));
  c.embedding_scale = known && is(of_target, root) ? "sqrt" : Config::EmbeddingScale("none");
  c.tied = "none";
  if (known && equal(target, kProjection))
    c.tied = source == target || equal(source, target) ? "all" : Config::Tied("decoder");
  tensors.scale(source, known ? 1 : of_source, kScaledSource);
  tensors.scale(target, known ? 1 : of_target, kScaledTarget);
}

// Without a stored table, CTranslate2's sinusoids begin at 1; a table may also contain sinusoids.
void Specification::set_positions(Config& c) const {
  const std::string name = "encoder/position_encodings/encodings", other = "decoder/position_encodings/encodings";
  const ForeignTensor* table = file_.find(name);
  if ((table != nullptr) != has(other))
    throw DataError(cat(file_.path(), ": only one of the sides has a table of positions (", name, ")"));
  if (!table) {
    c.positions = "timing-signal", c.first_position = 1;
    return;
  }
  const std::vector<float> numbers = file_.read(*table);
  if (std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == 0; }) && equal(name, other)) {
    c.positions = "none";
    return;
  }
  const Positions found = sinusoids_of(file_, *table);
  c.positions = equal(name, other) ? found.kind : "learned";
  c.first_position = c.positions == "learned" ? 0 : found.first;
  if (c.positions == "learned") c.max_positions = static_cast<int64_t>(table->shape.at(0));
}

WeightMap Specification::weights(const Config& c) const {
  WeightNames names;
  add_ctranslate2_layers(c, names);
  for (const std::string side : {"encoder", "decoder"}) {
    if (c.has_last_norm()) names.norm(side + ".last_norm", norm_names(side + "/layer_norm"));
    if (c.embedding_norm) names.norm(side + ".input.norm", norm_names(side + "/layernorm_embedding"));
    if (c.positions == "learned") names.table(side + ".input.positions.table", side + "/position_encodings/encodings");
    names.ignore(embeddings(side));
    names.ignore(side + "/position_encodings/encodings");
  }
  names.table("embeddings.0.table", kScaledSource);
  if (c.tied != "all") names.table("embeddings.1.table", kScaledTarget);
  if (c.tied == "none") names.linear("generator", {{{kProjection}}, {}});
  if (has("decoder/projection/bias")) names.vector("generator.bias", "decoder/projection/bias");
  for (const char* table : {kProjection, kScaledTarget}) names.ignore(table);
  for (const ForeignTensor& t : file_.list())
    if (is_attribute(t)) names.ignore(t.name);
  return zero_start() ? with_zero_start(names.take(), c) : names.take();
}

WeightMap Specification::with_zero_start(WeightMap map, const Config& c) const {
  const auto add_row = [&](const std::string& name) { map.origins.at(name).parts.push_back({"", 0, 1}); };
  add_row(c.tied == "all" ? "embeddings.0.table" : "embeddings.1.table");
  if (c.tied == "none") add_row("generator.weight");
  if (map.origins.contains("generator.bias"))
    add_row("generator.bias");
  else
    map.origins["generator.bias"] = {{{"", 0, static_cast<size_t>(c.target_vocab)}}};
  map.replaced["generator.bias"][c.target_vocab - 1] = kNeverWritten;
  return map;
}

void Specification::read_alignment(const Config& c, model::Usage& usage, std::vector<std::string>& notes) const {
  int64_t layer = attribute_of_decoder("alignment_layer", -1);
  const int64_t heads = attribute_of_decoder("alignment_heads", 1);
  if (layer == -1 && heads == 1 && !zero_start()) return;
  if (layer < 0) layer += c.dec_layers;
  if (layer < 0 || layer >= c.dec_layers)
    refuse("decoder/alignment_layer", cat("it is ", layer, ", but the decoder has ", c.dec_layers, " layers"));
  usage.alignment_layer = layer;
  if (heads == 1) usage.alignment_head = 0;
  if (heads > 1 && heads < c.heads)
    notes.push_back(cat("CTranslate2 aligns words by the mean of the first ", heads, " heads of decoder layer ", layer,
                        ", hexapla by the mean of all"));
}

}  // namespace hexapla::convert
