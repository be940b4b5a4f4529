#include "convert/kinds/hugging_face_marian.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/files/file.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/torch_file.h"
#include "convert/json_file.h"
#include "text/vocabulary/piece_table.h"

namespace hexapla::convert {
namespace {

using model::Config;

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Two numbers that a configuration of theirs may have apart, and of ours has once.
int64_t same_on_both_sides(const JsonFile& json, const std::string& encoder, const std::string& decoder,
                           const Range<int64_t>& allowed) {
  const int64_t value = json.whole(encoder, allowed);
  if (json.whole(decoder, allowed) != value)
    json.refuse(decoder, cat(value, ", the value of '", encoder, "': models whose sides differ cannot be imported"));
  return value;
}

std::string activation(const JsonFile& json) {
  const std::string name = json.word("activation_function", "gelu");
  if (name == "relu" || name == "gelu") return name;
  if (name == "swish" || name == "silu") return "swish";
  json.refuse("activation_function", "relu, gelu, swish or silu");
}

Config read_config(const JsonFile& json) {
  const Range<int64_t> width{1, 1 << 16}, inner{1, 1 << 20}, heads{1, 1 << 12};
  Config c;
  c.source_vocab = json.whole("vocab_size", Config::kVocabulary);
  c.target_vocab = json.whole("decoder_vocab_size", Config::kVocabulary, c.source_vocab);
  c.enc_layers = json.whole("encoder_layers", Config::kLayers);
  c.dec_layers = json.whole("decoder_layers", Config::kLayers);
  c.d_model = json.whole("d_model", width);
  c.d_ff = same_on_both_sides(json, "encoder_ffn_dim", "decoder_ffn_dim", inner);
  c.heads = same_on_both_sides(json, "encoder_attention_heads", "decoder_attention_heads", heads);
  c.dropout = json.number("dropout", ranges::below_1, 0.1);
  c.attention_dropout = json.number("attention_dropout", ranges::below_1, 0);
  c.activation_dropout = json.number("activation_dropout", ranges::below_1, 0);
  const bool shared = json.flag("share_encoder_decoder_embeddings", true);
  c.tied = !json.flag("tie_word_embeddings", true) ? "none" : shared ? "all" : "decoder";
  c.positions = "sinusoidal-halves";
  c.activation = activation(json);
  c.attention_bias = c.generator_bias = true;
  c.embedding_scale = json.flag("scale_embedding", false) ? "sqrt" : "none";
  c.norm_eps = 1e-5;
  if (c.d_model % 2 != 0) json.refuse("d_model", "an even number");
  return c;
}

// One safetensors file, several with an index, or what torch.save() wrote.
std::shared_ptr<const ForeignTensors> open_weights(const std::string& folder) {
  for (const char* name : {"/model.safetensors", "/model.safetensors.index.json"})
    if (is_file(folder + name)) return std::make_shared<SafetensorsModel>(folder + name);
  if (is_file(folder + "/pytorch_model.bin")) return std::make_shared<TorchFile>(folder + "/pytorch_model.bin");
  throw DataError(cat(folder, ": there is no model.safetensors, no model.safetensors.index.json and no ",
                      "pytorch_model.bin; the folder is incomplete"));
}

// The first of the names that the file has a tensor of: which of those that are one it holds depends on who wrote it.
std::string first_of(const ForeignTensors& tensors, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (tensors.find(name)) return name;
  return tensors.get(names.front()).name;  // refused
}

class Weights {
 public:
  Weights(const Config& config, const ForeignTensors& tensors) : config_(config), tensors_(tensors) {}

  WeightMap map(bool shared) {
    embeddings(shared);
    for (const char* stack : {"encoder", "decoder"}) {
      const int64_t layers = std::string_view(stack) == "encoder" ? config_.enc_layers : config_.dec_layers;
      for (int64_t i = 0; i < layers; ++i) layer(cat(stack, ".layers.", i), cat("model.", stack, ".layers.", i));
      input(stack);
    }
    return std::move(map_);
  }

 private:
  void embeddings(bool shared) {
    const std::string both = "model.shared.weight", source = "model.encoder.embed_tokens.weight",
                      target = "model.decoder.embed_tokens.weight", output = "lm_head.weight";
    std::vector<std::string> of_source{source}, of_target{target};
    if (shared) of_source = of_target = {both, source, target};
    if (config_.tied != "none") of_target.push_back(output);
    if (config_.tied == "all") of_source.push_back(output);
    stack("embeddings.0.table", {first_of(tensors_, of_source)});
    if (config_.tied != "all") stack("embeddings.1.table", {first_of(tensors_, of_target)});
    if (config_.tied == "none") transpose("generator.weight", {output});
    map_.origins["generator.bias"] = tensors_.find("final_logits_bias")
                                         ? Origin{{{"final_logits_bias"}}}
                                         : Origin{{{"", 0, static_cast<size_t>(config_.target_vocab)}}};
    for (const std::string& name : {both, source, target, output}) map_.ignored.push_back(name);
  }

  // Of the encoder or the decoder: in the checkpoints of old versions stands the table of positions, too.
  void input(const std::string& stack_name) {
    const std::string table = cat("model.", stack_name, ".embed_positions.weight"),
                      norm = cat("model.", stack_name, ".layernorm_embedding");
    map_.ignored.push_back(table);
    if (config_.embedding_norm) vectors(stack_name + ".input.norm", norm, "gain", "bias");
  }

  void layer(const std::string& own, const std::string& foreign) {
    const bool decoder = own.starts_with("decoder");
    attention(own + ".self_attention", foreign + ".self_attn", {"q", "k", "v"}, "qkv");
    vectors(own + (decoder ? ".self_norm" : ".attention_norm"), foreign + ".self_attn_layer_norm", "gain", "bias");
    if (decoder) {
      const std::string cross = foreign + ".encoder_attn";
      project(own + ".cross_attention.query", cross, {"q"});
      attention(own + ".cross_attention", cross, {"k", "v"}, "key_value");
      vectors(own + ".cross_norm", foreign + ".encoder_attn_layer_norm", "gain", "bias");
    }
    linear(own + ".feed_forward.inner", {foreign + ".fc1"});
    linear(own + ".feed_forward.outer", {foreign + ".fc2"});
    vectors(own + ".feed_forward_norm", foreign + ".final_layer_norm", "gain", "bias");
  }

  void attention(const std::string& own, const std::string& foreign, const std::vector<std::string>& in,
                 const std::string& name) {
    project(cat(own, ".", name), foreign, in);
    linear(own + ".output", {foreign + ".out_proj"});
  }
  void project(const std::string& own, const std::string& foreign, const std::vector<std::string>& which) {
    std::vector<std::string> names;
    for (const std::string& one : which) names.push_back(cat(foreign, ".", one, "_proj"));
    linear(own, names);
  }
  void linear(const std::string& own, const std::vector<std::string>& foreign) {
    std::vector<std::string> weights, biases;
    for (const std::string& name : foreign) {
      weights.push_back(name + ".weight");
      biases.push_back(name + ".bias");
    }
    transpose(own + ".weight", weights);
    stack(own + ".bias", biases);
  }
  void vectors(const std::string& own, const std::string& foreign, const char* weight, const char* bias) {
    stack(cat(own, ".", weight), {foreign + ".weight"});
    stack(cat(own, ".", bias), {foreign + ".bias"});
  }
  void transpose(const std::string& own, const std::vector<std::string>& names) { set(own, names, Layout::transposed); }
  void stack(const std::string& own, const std::vector<std::string>& names) { set(own, names, Layout::stacked); }
  void set(const std::string& own, const std::vector<std::string>& names, Layout layout) {
    Origin& origin = map_.origins[own];
    origin.layout = layout;
    for (const std::string& name : names) origin.parts.push_back({name});
  }

  const Config& config_;
  const ForeignTensors& tensors_;
  WeightMap map_;
};

// A table of positions in the file is what the model computes with: is it one of those that can be computed?
std::string positions_of(const ForeignTensors& tensors, const Config& config) {
  const ForeignTensor* table = tensors.find("model.encoder.embed_positions.weight");
  if (!table) return config.positions;
  const auto d = static_cast<size_t>(config.d_model);
  if (table->shape.size() != 2 || table->shape[1] != d) tensors.get(table->name, {table->shape.front(), d});
  const std::vector<float> values = tensors.read(*table);
  for (const auto& [name, kind] : {std::pair{"sinusoidal-halves", Sinusoids::halves},
                                   {"timing-signal", Sinusoids::timing_signal},
                                   {"sinusoidal", Sinusoids::interleaved}}) {
    bool same = true;
    for (size_t i = 0; i < values.size() && same; ++i) {
      const Wave wave = wave_of(kind, static_cast<int64_t>(i % d), config.d_model);
      const double angle = static_cast<double>(i / d) / wave.divisor;
      same = std::fabs(values[i] - (wave.sine ? std::sin(angle) : std::cos(angle))) < 2e-3;
    }
    if (same) return name;
  }
  throw DataError(
      cat(tensors.path(), ": the tensor ", table->text(),
          " holds none of the known sinusoids; models of this kind with other positions cannot be imported"));
}

// The names of pieces that have a meaning, and their ids as the configuration gives them.
text::PieceTable table_of(const JsonFile& json, const std::string& path, int64_t size) {
  text::PieceTable table{read_piece_ids(path, static_cast<size_t>(size)), {}, {}, "<unk>", {}};
  table.pieces.resize(static_cast<size_t>(size));
  const auto piece = [&](const std::string& key, int64_t id) {
    const std::string& text = table.pieces[static_cast<size_t>(id)];
    if (text.empty()) json.refuse(key, cat("the id of a piece in ", path));
    return text;
  };
  const Range<int64_t> ids{0, size - 1};
  const int64_t padding = json.whole("pad_token_id", ids);
  table.padding = piece("pad_token_id", padding);
  table.end = piece("eos_token_id", json.whole("eos_token_id", ids, 0));
  table.start = piece("decoder_start_token_id", json.whole("decoder_start_token_id", ids, padding));
  return table;
}

std::string vocabulary(const JsonFile& json, const std::string& model, const std::string& table, int64_t size) {
  const text::PieceModel pieces = text::PieceModel::parse(read_file(model), model);
  return text::with_ids_of(table_of(json, table, size), pieces, table).serialized();
}

// generation_config.json, or config.json where an old version wrote it all there.
std::map<std::string, std::string> search_of(const JsonFile& json) {
  std::map<std::string, std::string> search;
  search["beam-size"] = cat(json.whole("num_beams", ranges::beam, 1));
  search["length-penalty"] = cat(json.number("length_penalty", {-100, 100}, 1));
  search["length-normalization"] = "power";
  if (json.has("max_length"))  // the start token is counted there
    search["longest"] = cat(json.whole("max_length", {2, 1'000'000}) - 1);
  if (const int64_t n = json.whole("no_repeat_ngram_size", {0, 1'000'000}, 0); n > 0)
    search["no-repeat-ngram"] = cat(n);
  const nlohmann::json& early = json.value("early_stopping");
  if (!early.is_null() && !early.is_boolean() && early != "never")
    json.refuse("early_stopping", "true, false or never");
  search["stop-when"] = early == true ? "full" : "outscored";
  return search;
}

// Padding is never written. Where the probabilities are normalized without it, its own is taken away: a bias far below
// all logits, and yet one that a training with smoothed labels can go on from.
void add_forbidden(const JsonFile& search, int64_t padding, ForeignModel& m) {
  constexpr float never = -1e4F;
  if (search.flag("renormalize_logits", false))
    m.weights.replaced["generator.bias"][static_cast<size_t>(padding)] = never;
  const nlohmann::json& words = search.value("bad_words_ids");
  if (!words.is_null() && words != nlohmann::json::array({nlohmann::json::array({padding})}))
    m.notes.push_back(
        cat(search.path(), ": of 'bad_words_ids' only padding stays forbidden; see `forbid` of translate"));
}

}  // namespace

bool is_hugging_face_marian(const std::string& folder) {
  const std::string config = folder + "/config.json";
  if (!is_file(config)) return false;
  return JsonFile(config).word("model_type", "") == "marian";
}

ForeignModel read_hugging_face_marian(const std::string& folder, const ImportOptions& options) {
  const JsonFile json(folder + "/config.json");
  if (json.word("model_type", "") != "marian") json.refuse("model_type", "marian");
  ForeignModel m{.origin = "Hugging Face Marian", .config = read_config(json)};
  const std::shared_ptr<const ForeignTensors> tensors = open_weights(folder);
  const bool shared = json.flag("share_encoder_decoder_embeddings", true);
  m.config.embedding_norm = tensors->find("model.encoder.layernorm_embedding.weight") != nullptr;
  resolve(m.config, json.path());
  m.config.positions = options.positions.empty() ? positions_of(*tensors, m.config) : options.positions;
  m.config.resolve();  // of a user's choice
  m.weights = Weights(m.config, *tensors).map(shared);
  m.tensors = tensors;
  check(m.weights, m.config, *tensors);  // now the vocabularies' sizes are those of tensors
  const std::string source_table = folder + "/vocab.json", own = folder + "/target_vocab.json";
  const std::string target_table = is_file(own) ? own : source_table;
  m.text.source_vocabulary = vocabulary(json, folder + "/source.spm", source_table, m.config.source_vocab);
  m.text.target_vocabulary = vocabulary(json, folder + "/target.spm", target_table, m.config.target_vocab);
  const std::string generation = folder + "/generation_config.json";
  const JsonFile search = is_file(generation) ? JsonFile(generation) : json;
  m.search = search_of(search);
  add_forbidden(search, json.whole("pad_token_id", {0, m.config.target_vocab - 1}), m);
  return m;
}

}  // namespace hexapla::convert
