#include "convert/kinds/toolkits/joeynmt.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "convert/containers/torch_file.h"
#include "convert/foreign/feed_forwards.h"
#include "convert/kinds/layer_names.h"
#include "convert/kinds/toolkits/words.h"
#include "convert/parsing/limits.h"
#include "convert/texts/plain_yaml.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr const char *kState = "model_state.", *kSourceTable = "model_state.src_embed.lut.weight",
                     *kTargetTable = "model_state.trg_embed.lut.weight",
                     *kOutputTable = "model_state.decoder.output_layer.weight";

std::string config_at(const std::string& path) {
  const std::string folder = path.ends_with(".ckpt") ? folder_of(path) : path;
  return folder + "/config.yaml";
}

// best.ckpt, or the checkpoint with the most updates: "12000.ckpt". "": none.
std::string joeynmt_checkpoint(const std::string& path) {
  if (path.ends_with(".ckpt")) return path;
  if (is_file(path + "/best.ckpt")) return path + "/best.ckpt";
  std::pair<int64_t, std::string> last{-1, ""};
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(path, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".ckpt")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const int64_t updates = parse_number<int64_t>(stem.substr(0, stem.find('_'))).value_or(0);
    last = std::max(last, std::pair(updates, path + "/" + name));
  }
  return last.second;
}

// Fields that must be the same on both sides.
class Sides {
 public:
  explicit Sides(const PlainYaml& yaml) : yaml_(yaml) {}
  int64_t whole(const std::string& key, const Range<int64_t>& allowed) const {
    const int64_t value = yaml_.whole("model.encoder." + key, allowed);
    if (yaml_.whole("model.decoder." + key, allowed) != value)
      yaml_.refuse("model.decoder." + key, cat(value, ", as in the encoder"));
    return value;
  }
  std::string word(const std::string& key, const std::string& otherwise) const {
    const std::string value = yaml_.word("model.encoder." + key, otherwise);
    if (yaml_.word("model.decoder." + key, otherwise) != value)
      yaml_.refuse("model.decoder." + key, cat("'", value, "', as in the encoder"));
    return value;
  }
  bool flag(const std::string& key) const {
    const bool value = yaml_.flag("model.encoder." + key, false);
    if (yaml_.flag("model.decoder." + key, false) != value)
      yaml_.refuse("model.decoder." + key, "the same as in the encoder");
    return value;
  }

 private:
  const PlainYaml& yaml_;
};

// Defaults: before version 2.1, norms are before the sublayers and after each stack; later, they
// are before the encoder's and after the decoder's sublayers, with none after a stack.
Config::NormPosition joeynmt_norm_position(const PlainYaml& yaml, const ForeignTensors& tensors) {
  const bool last =
      tensors.find(cat(kState, "encoder.layer_norm.weight")) && tensors.find(cat(kState, "decoder.layer_norm.weight"));
  const std::string position = yaml.word("model.encoder.layer_norm", last ? "pre" : "");
  if (position != "pre" && position != "post")
    yaml.refuse("model.encoder.layer_norm",
                "pre or post, for both sides; without it, and without a norm behind each stack, JoeyNMT normalizes its "
                "sides in different places");
  return Config::NormPosition::parse("layer_norm", Sides(yaml).word("layer_norm", last ? "pre" : ""));
}

FeedForwardWidths joeynmt_widths(const PlainYaml& yaml) {
  const Range<int64_t> width{1, 1 << 20};
  return {yaml.whole("model.encoder.ff_size", width), yaml.whole("model.decoder.ff_size", width)};
}

Config joeynmt_config(const PlainYaml& yaml, const ForeignTensors& tensors) {
  const Sides sides(yaml);
  for (const char* side : {"encoder", "decoder"})
    if (yaml.word(cat("model.", side, ".type"), "") != "transformer")
      yaml.refuse(cat("model.", side, ".type"), "transformer");
  Config c;
  c.enc_layers = yaml.whole("model.encoder.num_layers", Config::kLayers);
  c.dec_layers = yaml.whole("model.decoder.num_layers", Config::kLayers);
  c.d_model = sides.whole("hidden_size", {1, 1 << 16});
  const FeedForwardWidths inner = joeynmt_widths(yaml);
  c.d_ff = std::max(inner.encoder, inner.decoder);
  c.heads = sides.whole("num_heads", {1, 1 << 12});
  c.dropout = yaml.number("model.encoder.dropout", ranges::kBelow1, 0.1);
  const std::string activation = sides.word("activation", "relu");
  if (activation != "relu" && activation != "gelu" && activation != "swish")
    yaml.refuse("model.encoder.activation", "relu, gelu or swish");
  c.activation = Config::Activation::parse("activation", activation);
  for (const char* side : {"encoder", "decoder"})
    if (yaml.number(cat("model.", side, ".alpha"), {-1e9, 1e9}, 1) != 1)
      yaml.refuse(cat("model.", side, ".alpha"), "1: residual connections are not weighed here");
  c.norm_position = joeynmt_norm_position(yaml, tensors);
  c.embedding_scale = sides.flag("embeddings.scale") ? "sqrt" : Config::EmbeddingScale("none");
  c.attention_bias = true;
  const bool softmax = yaml.flag("model.tied_softmax", false), embeddings = yaml.flag("model.tied_embeddings", false);
  c.tied = !softmax ? "none" : embeddings ? "all" : Config::Tied("decoder");
  c.source_vocab = table_rows(tensors, kSourceTable);
  c.target_vocab = table_rows(tensors, kTargetTable);
  return c;
}

AttentionNames attention(const std::string& p, const std::string& norm, bool cross) {
  const auto linears = [&](const std::vector<std::string>& which) {
    std::vector<std::string> all;
    for (const std::string& one : which) all.push_back(cat(p, ".", one, "_layer"));
    return linear_names(all, true);
  };
  return {.into = cross ? linears({"q"}) : linears({"q", "k", "v"}),
          .of_memory = cross ? linears({"k", "v"}) : LinearNames{},
          .output = linears({"output"}),
          .norm = {norm + ".weight", norm + ".bias"}};
}

WeightMap joeynmt_weights(const Config& c, const ForeignTensors& tensors) {
  WeightNames names;
  const auto feed_forward = [](const std::string& layer) {
    const std::string p = layer + ".feed_forward.";
    return FeedForwardNames{linear_names({p + "pwff_layer.0"}, true),
                            {},
                            linear_names({p + "pwff_layer.3"}, true),
                            {p + "layer_norm.weight", p + "layer_norm.bias"}};
  };
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat(kState, "encoder.layers.", i);
    names.encoder_layer(i, attention(layer + ".src_src_att", layer + ".layer_norm", false), feed_forward(layer));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat(kState, "decoder.layers.", i);
    names.decoder_layer(i, attention(layer + ".trg_trg_att", layer + ".x_layer_norm", false),
                        attention(layer + ".src_trg_att", layer + ".dec_layer_norm", true), feed_forward(layer));
  }
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string norm = kState + side + ".layer_norm";
    if (c.has_last_norm()) names.norm(side + ".last_norm", {norm + ".weight", norm + ".bias"});
    names.ignore(kState + side + ".pe.pe");
  }
  names.table("embeddings.0.table", kSourceTable);
  if (c.tied != "all") names.table("embeddings.1.table", kTargetTable);
  if (c.tied == "none") names.linear("generator", {{{kOutputTable}}, {}});
  for (const char* name : {kSourceTable, kTargetTable, kOutputTable}) names.ignore(name);
  for (const ForeignTensor& t : tensors.list())
    if (!t.name.starts_with(kState)) names.ignore(t.name);  // the optimizer's
  return names.take();
}

TokenSide joeynmt_side(const PlainYaml& yaml, const std::string& folder, const std::string& which,
                       const std::string& list, const std::string& pieces) {
  const auto symbol = [&](const char* name, const char* otherwise) {
    return yaml.word(cat("data.special_symbols.", name, "_token"), otherwise);
  };
  for (const char* name : {"data.special_symbols.sep_token", "data.special_symbols.lang_tags"})
    if (!yaml.list(name).empty()) yaml.refuse(name, "none: models that are told languages or prompts are not read");
  TokenSide side;
  side.path = !list.empty() ? list : cat(folder, "/", which, "_vocab.txt");
  side.tokens = read_token_list(side.path);
  side.names = {symbol("bos", "<s>"), symbol("eos", "</s>"), symbol("unk", "<unk>"), symbol("pad", "<pad>")};
  const std::string cfg = cat("data.", which, ".tokenizer_cfg.");
  side.pieces = pieces_for(pieces, folder,
                           {last_name(yaml.word(cfg + "model_file", "")), last_name(yaml.word(cfg + "codes", ""))});
  return side;
}

// Its beam, and the length normalization of Wu et al. 2016, if any.
std::map<std::string, std::string> joeynmt_search(const PlainYaml& yaml) {
  std::map<std::string, std::string> search;
  if (yaml.has("testing.beam_size")) search["beam-size"] = cat(yaml.whole("testing.beam_size", ranges::kBeam));
  const double alpha = yaml.number("testing.beam_alpha", {-1e3, 1e3}, yaml.number("testing.alpha", {-1e3, 1e3}, -1));
  search["length-penalty"] = cat(std::max(alpha, 0.0));
  search["length-normalization"] = "paper";
  search["min-length"] =
      yaml.has("testing.min_output_length") ? cat(yaml.whole("testing.min_output_length", {0, 1000000})) : "1";
  const double longest = yaml.number("testing.max_output_length", {-1, 1e6}, -1);
  if (longest > 0) search["longest"] = cat(static_cast<int64_t>(longest));
  return search;
}

}  // namespace

bool is_joeynmt(const std::string& path) {
  const std::string checkpoint = joeynmt_checkpoint(path);
  return !checkpoint.empty() && is_file(config_at(path)) && is_file(checkpoint);
}

ForeignModel read_joeynmt(const std::string& path, const ImportOptions& options) {
  const PlainYaml yaml = PlainYaml::read_nested(config_at(path));
  const std::string checkpoint = joeynmt_checkpoint(path), folder = folder_of(yaml.name());
  if (checkpoint.empty()) throw DataError(cat(path, ": there is no checkpoint (best.ckpt) beside its config.yaml"));
  const auto file = std::make_shared<TorchFile>(checkpoint);
  ForeignModel m{.origin = "JoeyNMT", .config = joeynmt_config(yaml, *file)};
  resolve(m.config, yaml.name());
  m.weights = joeynmt_weights(m.config, *file);
  m.tensors = file;
  widen_feed_forwards(m, joeynmt_widths(yaml), yaml.name());
  check(m.weights, m.config, *file);  // checks the vocabulary sizes against the tensors
  const std::string& of_target = options.target_spm.empty() ? options.source_spm : options.target_spm;
  put_words(m, joeynmt_side(yaml, folder, "src", options.source_vocab, options.source_spm),
            joeynmt_side(yaml, folder, "trg", options.target_vocab, of_target));
  m.text.usage.search = joeynmt_search(yaml);
  for (const char* side : {"src", "trg"})
    if (yaml.flag(cat("data.", side, ".lowercase"), false))
      m.notes.push_back(
          cat("its texts were lower case (data.", side, ".lowercase); hexapla leaves letters as they are"));
  m.notes.push_back(
      "JoeyNMT's beam search goes on with translations that have ended; hexapla searches as it does with "
      "any model");
  return m;
}

}  // namespace hexapla::convert
