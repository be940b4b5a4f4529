#include "convert/kinds/ctranslate2.h"

#include <cmath>
#include <optional>

#include "backend/sinusoids.h"
#include "convert/adjusted_tensors.h"
#include "convert/containers/ctranslate2_file.h"
#include "convert/json_file.h"
#include "convert/kinds/layer_names.h"
#include "convert/kinds/positions.h"
#include "convert/parsing/limits.h"
#include "convert/token_list.h"

namespace hexapla::convert {
namespace {

using model::Config;

// The specification's attributes, and what of the weights says how the model computes.
class Specification {
 public:
  explicit Specification(const CTranslate2File& file) : file_(file) {
    if (file.specification() != "TransformerSpec")
      throw DataError(cat(file.path(), ": it is a ", file.specification(),
                          "; read is TransformerSpec, an encoder with a ", "decoder"));
  }

  Config config() const {
    Config c;
    c.enc_layers = layers("encoder"), c.dec_layers = layers("decoder");
    c.source_vocab = extent(embeddings("encoder"), 0), c.target_vocab = extent(embeddings("decoder"), 0);
    c.d_model = extent(embeddings("decoder"), 1);
    c.d_ff = extent("encoder/layer_0/ffn/linear_0/weight", 0);
    c.heads = whole("num_heads", 8);
    c.norm_position = whole("pre_norm", 1) != 0 ? "pre" : "post";
    c.activation = activation();
    c.gated = has("encoder/layer_0/ffn/linear_0_noact/weight");
    c.attention_bias = has("encoder/layer_0/self_attention/linear_0/bias");
    c.generator_bias = has("decoder/projection/bias");
    c.embedding_norm = has("encoder/layernorm_embedding/gamma");
    c.embedding_scale = "none";  // that of the file goes into the tables
    c.norm_eps = 1e-5;
    check_known();
    return c;
  }

  std::string embeddings(const std::string& side) const {
    if (has(side + "/embeddings_1/weight"))
      refuse("encoder/embeddings_1/weight", "sources with features beside their tokens are not read");
    return side + (has(side + "/embeddings_0/weight") ? "/embeddings_0/weight" : "/embeddings/weight");
  }
  // What the embeddings of a side are multiplied by: a flag, or the number itself.
  double embedding_scale(const std::string& side, int64_t d_model) const {
    const double root = std::sqrt(static_cast<double>(d_model));
    for (const char* name : {"/scale_embeddings", "/embeddings/multiply_by_sqrt_depth"})
      if (const ForeignTensor* found = file_.find(side + name)) {
        const double value = *file_.number(found->name);
        return found->type != ElementType::i8 ? value : value != 0 ? root : 1;
      }
    return root;
  }

 private:
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  int64_t extent(const std::string& name, size_t i) const {
    const ForeignTensor& t = file_.get(name);
    if (t.shape.size() != 2) refuse(name, cat("it is ", t.text(), ", and should be a matrix"));
    return static_cast<int64_t>(t.shape[i]);
  }
  int64_t layers(const std::string& side) const {
    int64_t n = 0;
    while (n < Config::kLayers.most && has(cat(side, "/layer_", n, "/ffn/linear_0/weight"))) ++n;
    return n;
  }
  // An attribute that both sides have alike; before revision 5 it had no side.
  int64_t whole(const std::string& name, int64_t otherwise) const {
    const auto of = [&](const std::string& side) {
      const std::optional<float> own = file_.number(side + name);
      return own ? own : file_.number(name);
    };
    const std::optional<float> encoder = of("encoder/"), decoder = of("decoder/");
    if (encoder != decoder)
      refuse("decoder/" + name, "it differs from that of the encoder, which no model of ours can");
    return encoder && std::fabs(*encoder) < 1e6F ? std::lround(*encoder) : otherwise;
  }
  std::string activation() const {
    const int64_t number = whole("activation", 0);
    if (number == 0) return "relu";
    if (number == 1) return "gelu-tanh";
    if (number == 2) return "swish";
    if (number == 3) return "gelu";
    refuse("encoder/activation",
           cat("it is ", number, "; read are 0 (ReLU), 1 (GELU by a tanh), 2 (swish) and 3 (GELU)"));
  }
  void check_known() const {
    for (const char* none : {"decoder/start_from_zero_embedding", "decoder/alibi"})
      if (file_.number(none).value_or(0) != 0) refuse(none, "it is on, which no model of ours has");
    if (file_.number("decoder/scale_outputs").value_or(1) != 1) refuse("decoder/scale_outputs", "it is not 1");
    for (const ForeignTensor& t : file_.list())
      if (t.name.ends_with("/queries_scale") || t.name.ends_with("/sliding_window") || t.name.ends_with("/rotary_dim"))
        refuse(t.name, "no model of ours has this kind of attention");
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw DataError(cat(file_.path(), ": the variable ", name, ": ", why));
  }

  const CTranslate2File& file_;
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

constexpr const char* kSource = "source table";  // computed tensors
constexpr const char* kTarget = "target table";

// Attributes and what is not needed to compute, and the tables that went into others.
void ignore_the_rest(const CTranslate2File& file, const Specification& spec, WeightNames& names) {
  for (const ForeignTensor& t : file.list())
    if (t.shape.empty() || t.type == ElementType::i8 || t.name.ends_with("/alignment_heads")) {
      const bool weight = t.shape.size() > 1;
      if (!weight) names.ignore(t.name);
    }
  for (const char* side : {"encoder", "decoder"}) {
    names.ignore(spec.embeddings(side));
    names.ignore(cat(side, "/position_encodings/encodings"));
  }
  for (const char* table : {"decoder/projection/weight", kTarget}) names.ignore(table);
}

WeightMap weights_of(const Config& c, const CTranslate2File& file, const Specification& spec) {
  WeightNames names;
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
  for (const std::string side : {"encoder", "decoder"}) {
    if (c.norm_position == "pre") names.norm(side + ".last_norm", norm_names(side + "/layer_norm"));
    if (c.embedding_norm) names.norm(side + ".input.norm", norm_names(side + "/layernorm_embedding"));
    if (c.positions == "learned") names.table(side + ".input.positions.table", side + "/position_encodings/encodings");
  }
  names.table("embeddings.0.table", kSource);
  if (c.tied != "all") names.table("embeddings.1.table", kTarget);
  if (c.tied == "none") names.linear("generator", linear_at("decoder/projection", c.generator_bias));
  if (c.generator_bias) names.vector("generator.bias", "decoder/projection/bias");
  ignore_the_rest(file, spec, names);
  return names.take();
}

bool equal(const CTranslate2File& file, const std::string& a, const std::string& b) {
  const ForeignTensor &x = file.get(a), &y = file.get(b);
  return x.shape == y.shape && file.read(x) == file.read(y);
}

// Which tables are one. Those of the embeddings are scaled: where that differs from ours, or from the generator's, they
// are no longer the same.
void tie(Config& c, AdjustedTensors& tensors, const CTranslate2File& file, const Specification& spec) {
  const std::string source = spec.embeddings("encoder"), target = spec.embeddings("decoder"),
                    output = "decoder/projection/weight";
  const double of_source = spec.embedding_scale("encoder", c.d_model),
               of_target = spec.embedding_scale("decoder", c.d_model);
  const double root = std::sqrt(static_cast<double>(c.d_model));
  const auto is = [](double a, double b) { return std::fabs(a - b) < 1e-5 * b; };
  const bool known = is(of_source, of_target) && (is(of_target, root) || is(of_target, 1));
  c.embedding_scale = known && is(of_target, root) ? "sqrt" : "none";
  c.tied = "none";
  if (known && equal(file, target, output))
    c.tied = source == target || equal(file, source, target) ? "all" : "decoder";
  tensors.scale(source, known ? 1 : of_source, kSource);
  tensors.scale(target, known ? 1 : of_target, kTarget);
}

// CTranslate2's own sinusoids, where no table is stored, begin at 1; a stored table may be one of sinusoids.
void set_positions(Config& c, const CTranslate2File& file) {
  const std::string name = "encoder/position_encodings/encodings", other = "decoder/position_encodings/encodings";
  const ForeignTensor* table = file.find(name);
  if ((table != nullptr) != (file.find(other) != nullptr))
    throw DataError(cat(file.path(), ": only one of the sides has a table of positions (", name, ")"));
  if (!table) {
    c.positions = "timing-signal", c.first_position = 1;
    return;
  }
  const Positions found = sinusoids_of(file, *table);
  c.positions = equal(file, name, other) ? found.kind : "learned";
  c.first_position = c.positions == "learned" ? 0 : found.first;
  if (c.positions == "learned") c.max_positions = static_cast<int64_t>(table->shape.at(0));
}

struct Sides {
  std::string source, target;  // files of the lists
};

std::string list_at(const std::string& folder, const std::string& name) {
  for (const char* ending : {".json", ".txt"})
    if (const std::string path = cat(folder, "/", name, ending); is_file(path)) return path;
  return "";
}

Sides lists_in(const std::string& folder) {
  if (const std::string shared = list_at(folder, "shared_vocabulary"); !shared.empty()) return {shared, shared};
  Sides sides{list_at(folder, "source_vocabulary"), list_at(folder, "target_vocabulary")};
  if (sides.source.empty() || sides.target.empty())
    throw DataError(cat(folder, ": there is neither shared_vocabulary.json nor source_vocabulary.json with ",
                        "target_vocabulary.json (or .txt); they belong to a CTranslate2 model"));
  return sides;
}

// What config.json says of tokens; before version 6 that stood in model.bin.
class TokenSettings {
 public:
  TokenSettings(const std::string& folder, const CTranslate2File& file) : file_(file) {
    if (is_file(folder + "/config.json")) json_.emplace(folder + "/config.json");
  }
  TokenNames names() const {
    TokenNames n{"", word("eos_token", "</s>"), word("unk_token", "<unk>"), ""};
    const std::string bos = word("bos_token", "<s>");
    if (json_ && file_.version() >= 6)
      n.start = json_->word("decoder_start_token", bos);
    else
      n.start = file_.number("with_target_bos").value_or(1) != 0 ? bos : n.end;
    return n;
  }
  bool flag(const std::string& key, const std::string& old) const {
    if (json_ && file_.version() >= 6) return json_->flag(key, false);
    return file_.number(old).value_or(0) != 0;
  }
  double norm_eps() const {
    return json_ ? json_->number("layer_norm_epsilon", {.least = 0, .most = 1, .open_least = true}, 1e-5) : 1e-5;
  }
  std::string path() const { return json_ ? json_->path() : file_.path(); }

 private:
  std::string word(const std::string& key, const std::string& otherwise) const {
    if (json_ && file_.version() >= 6) return json_->word(key, otherwise);
    return file_.text(key).value_or(otherwise);
  }

  const CTranslate2File& file_;
  std::optional<JsonFile> json_;
};

std::string vocabulary(const std::string& path, const TokenNames& names, const std::string& subwords, int64_t size) {
  const std::vector<std::string> tokens = read_token_list(path);
  if (tokens.size() != static_cast<size_t>(size))
    throw DataError(cat(path, ": it has ", tokens.size(), " tokens, but the model's table ", size,
                        " rows; the files do not belong together"));
  return vocabulary_of_tokens(tokens, names, subwords, path);
}

void read_vocabularies(ForeignModel& m, const std::string& folder, const TokenSettings& settings,
                       const ImportOptions& options) {
  const Sides lists = lists_in(folder);
  const TokenNames names = settings.names();
  const std::string of_target = options.target_spm.empty() ? options.source_spm : options.target_spm;
  m.text.source_vocabulary =
      vocabulary(lists.source, {names.end, names.end, names.unknown, ""}, options.source_spm, m.config.source_vocab);
  m.text.target_vocabulary = vocabulary(lists.target, names, of_target, m.config.target_vocab);
  if (options.source_spm.empty())
    m.notes.push_back("text comes cut into tokens, with blanks between them, and so do translations");
}

}  // namespace

bool is_ctranslate2(const std::string& folder) { return is_file(folder + "/model.bin"); }

ForeignModel read_ctranslate2(const std::string& folder, const ImportOptions& options) {
  const auto file = std::make_shared<CTranslate2File>(folder + "/model.bin");
  const Specification spec(*file);
  const TokenSettings settings(folder, *file);
  ForeignModel m{.origin = "CTranslate2", .config = spec.config()};
  const auto tensors = std::make_shared<AdjustedTensors>(file);
  tie(m.config, *tensors, *file, spec);
  set_positions(m.config, *file);
  m.config.norm_eps = settings.norm_eps();
  resolve(m.config, file->path());
  m.weights = weights_of(m.config, *file, spec);
  m.tensors = tensors;
  check(m.weights, m.config, *tensors);  // now the vocabularies' sizes are those of tensors
  if (settings.flag("add_source_bos", "with_source_bos"))
    throw DataError(cat(settings.path(), ": add_source_bos is true; sources that begin with a token are not read"));
  read_vocabularies(m, folder, settings, options);
  if (!settings.flag("add_source_eos", "with_source_eos"))
    m.notes.push_back("CTranslate2 leaves it to its caller to end a source with </s>; hexapla always does");
  m.notes.push_back("CTranslate2 does not count </s> where it divides a score by the length; hexapla does");
  m.text.usage.search = {{"beam-size", "2"},
                         {"length-penalty", "1"},
                         {"length-normalization", "power"},
                         {"longest", "256"},
                         {"min-length", "1"}};
  return m;
}

}  // namespace hexapla::convert
