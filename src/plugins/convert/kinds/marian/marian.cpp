#include "convert/kinds/marian/marian.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "convert/containers/marian/marian_file.h"
#include "convert/containers/npz_file.h"
#include "convert/kinds/zero_start.h"
#include "convert/parsing/known_keys.h"
#include "convert/parsing/limits.h"
#include "convert/texts/plain_yaml.h"
#include "convert/texts/token_list.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr const char* kSettings = "special:model.yml";

// The file of this name in the folder of `file`; folders in `name` are ignored, so no other folder
// is accessed.
std::string next_to(const std::string& file, const std::string& name) {
  return directory_of(file) + "/" + name.substr(name.rfind('/') + 1);
}

struct Files {
  std::string model;
  std::string settings;  // for the decoder; "": none
};

// Sorted names in the folder with this beginning and end.
std::vector<std::string> named(const std::string& folder, const std::string& begin, const std::string& end) {
  std::vector<std::string> all;
  std::error_code none;  // on an error there are no names
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(end)) all.push_back(name);
  }
  std::sort(all.begin(), all.end());
  return all;
}

// The decoder settings in a folder: decoder.yml, Firefox Translations' config.intgemm8bitalpha.yml,
// or model.npz.decoder.yml.
std::string settings_in(const std::string& folder) {
  if (is_file(folder + "/decoder.yml")) return folder + "/decoder.yml";
  std::vector<std::string> all = named(folder, "config", ".yml");
  if (all.empty()) all = named(folder, "", ".npz.decoder.yml");
  return all.empty() ? "" : folder + "/" + all.front();
}

// Firefox's layout: model.enpt.intgemm.alphas.bin with vocab.enpt.spm, or srcvocab and trgvocab.
std::string lone_model_in(const std::string& folder) {
  const std::vector<std::string> all = named(folder, "model", ".bin");
  return all.size() == 1 && is_marian_file(folder + "/" + all.front()) ? folder + "/" + all.front() : "";
}

Files files_of(const std::string& path) {
  if (is_file(path)) {
    if (is_file(path + ".decoder.yml")) return {path, path + ".decoder.yml"};
    return {path, settings_in(directory_of(path))};
  }
  const std::string settings = settings_in(path);
  if (settings.empty()) return {lone_model_in(path), ""};
  const std::vector<std::string> models = PlainYaml::read(settings).list("models");
  if (models.size() != 1)
    throw DataError(
        cat(settings, ": 'models' names ", models.size(), " files; one can be imported at a time, name it"));
  return {next_to(settings, models.front()), settings};
}

// Firefox's settings for all its models, whose files have none.
PlainYaml settings_of_firefox(const std::string& model) {
  const std::string folder = directory_of(model);
  std::vector<std::string> both = named(folder, "vocab", ".spm");
  if (both.size() == 1) both.push_back(both.front());
  if (const auto source = named(folder, "srcvocab", ".spm"), target = named(folder, "trgvocab", ".spm");
      both.empty() && source.size() == 1 && target.size() == 1)
    both = {source.front(), target.front()};
  if (both.size() != 2)
    throw DataError(cat(model, ": there is no ", model, ".decoder.yml, no decoder.yml and no config*.yml beside it, ",
                        "which name the vocabularies, and no vocab*.spm; put one there"));
  const std::string text = cat("vocabs:\n  - ", both[0], "\n  - ", both[1],
                               "\nbeam-size: 1\nnormalize: 1\nword-penalty: 0\nmax-length-factor: 2\n");
  return {text, folder + "/settings of Firefox"};
}

// A model's tensors, and the settings stored with them.
struct Contents {
  std::shared_ptr<const ForeignTensors> tensors;
  std::string settings;
};
template <class File>
Contents contents_of(const std::string& path) {
  const auto file = std::make_shared<File>(path);
  return {file, file->bytes(file->get(kSettings))};
}

// Settings whose other values our models cannot represent.
void refuse_unknown_variants(const PlainYaml& yaml) {
  const std::pair<const char*, const char*> only[] = {
      {"type", "transformer"},
      {"transformer-no-projection", "false"},
      {"transformer-no-bias", "false"},
      {"transformer-no-affine", "false"},
      {"transformer-rnn-projection", "false"},
      {"transformer-train-position-embeddings", "false"},
      {"lemma-dim-emb", "0"},
      {"transformer-pool", "false"},
      {"transformer-attention-mask", "default"},
      {"transformer-disable-position-embeddings", "false"},
      {"lemma-dependency", ""},
      {"right-left", "false"},
      {"ulr", "false"},
  };
  for (const auto& [key, value] : only)
    if (yaml.word(key, value) != value)
      yaml.refuse(key, cat("'", value, "': models of another kind cannot be imported"));
  if (!yaml.list("transformer-tied-layers").empty())
    yaml.refuse("transformer-tied-layers", "none: layers with the same weights cannot be imported");
  for (const char* key : {"input-types", "special-vocab"})
    for (const std::string& value : yaml.list(key))
      if (value != "sequence") yaml.refuse(key, "empty: inputs are sequences of pieces alone");
  for (const auto& [of_decoder, of_both] : {std::pair{"transformer-decoder-dim-ffn", "transformer-dim-ffn"},
                                            {"transformer-decoder-ffn-depth", "transformer-ffn-depth"}})
    if (const std::string value = yaml.word(of_decoder, "0"); value != "0" && value != yaml.word(of_both, ""))
      yaml.refuse(of_decoder, cat("0, or as ", of_both, ": models whose sides differ cannot be imported"));
}

// The settings that Marian writes into a model.
void refuse_unknown_settings(const PlainYaml& yaml) {
  refuse_unknown_keys(
      yaml.name(), yaml.keys(),
      {"type", "dim-emb", "enc-depth", "dec-depth", "dec-cell", "tied-embeddings", "tied-embeddings-src",
       "tied-embeddings-all", "layer-normalization", "right-left", "input-types", "special-vocab", "ulr",
       "lemma-dim-emb", "lemma-dependency", "transformer-heads", "transformer-no-projection",
       "transformer-rnn-projection", "transformer-dim-ffn", "transformer-decoder-dim-ffn", "transformer-ffn-depth",
       "transformer-decoder-ffn-depth", "transformer-ffn-activation", "transformer-preprocess",
       "transformer-postprocess", "transformer-postprocess-emb", "transformer-postprocess-top",
       "transformer-decoder-autoreg", "transformer-tied-layers", "transformer-guided-alignment-layer",
       "transformer-train-position-embeddings", "transformer-pool", "transformer-no-bias", "transformer-no-affine",
       "transformer-disable-position-embeddings", "transformer-attention-mask",
       "output-omit-bias",  // the bias is in the file, or not
       "dim-vocabs",        // the tables are
       "version",           // the version of Marian
       // RNNs; the SSRU is as wide as the model
       "dim-rnn", "enc-cell", "enc-type", "enc-cell-depth", "dec-cell-base-depth", "dec-cell-high-depth", "skip",
       // average attention, which is rejected
       "transformer-dim-aan", "transformer-aan-depth", "transformer-aan-activation", "transformer-aan-nogate",
       // ALiBi and its separators, BERT, ULR, factored vocabularies, all unsupported
       "transformer-alibi-shift", "transformer-alibi-trainable", "separator-symbol", "bert-train-type-embeddings",
       "bert-type-vocab-size", "ulr-trainable-transformation", "ulr-dim-emb", "factors-combine", "factors-dim-emb",
       // initialization and training
       "transformer-depth-scaling"});
}

// The settings of a decoder. Those that would change translations must be off.
void refuse_unknown_decoding(const PlainYaml& yaml) {
  refuse_unknown_keys(
      yaml.name(), yaml.keys(),
      {"models", "vocabs", "beam-size", "normalize", "word-penalty", "max-length-factor", "allow-unk", "shortlist",
       "transformer-guided-alignment-layer", "allow-special", "output-sampling", "output-approx-knn", "force-decode",
       "ignore-model-config", "no-spm-decode", "no-spm-encode", "tsv", "weights", "skip-cost",
       // how products are computed; we use f32
       "gemm-precision", "gemm-type", "quantize-range", "fp16", "precision", "optimize", "int8shift", "int8shiftAlpha",
       "int8shiftAlphaAll",
       // output and input
       "alignment", "n-best", "word-scores", "quiet", "quiet-translation", "log", "log-level", "log-time-zone", "input",
       "output", "stat-freq", "dump-config", "config", "relative-paths", "interpolate-env-vars", "tsv-fields",
       "model-mmap", "encryption-key-path", "port",
       // memory, batches, processors
       "workspace", "mini-batch", "mini-batch-words", "maxi-batch", "maxi-batch-sort", "cpu-threads", "devices",
       "num-devices", "data-threads", "seed", "check-nan", "cache-translations", "cache-size",
       // splitting of long texts, which we do in our own way
       "max-length", "max-length-crop", "max-length-break", "ssplit-mode", "ssplit-prefix-file", "version"});
  for (const char* off :
       {"allow-special", "force-decode", "ignore-model-config", "no-spm-decode", "no-spm-encode", "tsv"})
    if (yaml.flag(off, false)) yaml.refuse(off, "false: there is no such thing here");
  for (const char* off : {"output-sampling", "output-approx-knn"})
    if (yaml.has(off) && !yaml.list(off).empty() && yaml.word(off, "") != "false")
      yaml.refuse(off, "none: translations are searched for, in all pieces");
  if (yaml.number("weights", {-1e6, 1e6}, 1) != 1) yaml.refuse("weights", "1, of the only model");
  if (yaml.flag("skip-cost", false) && yaml.word("beam-size", "12") != "1")
    yaml.refuse("skip-cost", "false, or with a beam-size of 1: it compares logits in the place of probabilities");
}

// Marian aligns by the first head of this layer, whether or not it was trained for that. The
// model's settings take precedence over the decoder's.
void read_alignment(const PlainYaml& model, const PlainYaml& decoder, ForeignModel& m) {
  const std::string key = "transformer-guided-alignment-layer";
  const PlainYaml& from = model.has(key) ? model : decoder;
  const int64_t layers = m.config.dec_layers;
  m.text.usage.alignment_layer = from.word(key, "last") == "last" ? layers - 1 : from.whole(key, {1, layers}) - 1;
  m.text.usage.alignment_head = 0;
}

// The decoder's replacement for self-attention.
Config::DecoderMixing decoder_mixing(const PlainYaml& yaml) {
  const std::string kind = yaml.word("transformer-decoder-autoreg", "self-attention");
  if (kind == "self-attention") return "attention";
  if (kind != "rnn")
    yaml.refuse("transformer-decoder-autoreg", "self-attention or rnn: average attention cannot be imported");
  if (yaml.word("dec-cell", "ssru") != "ssru") yaml.refuse("dec-cell", "ssru: no other cell can be imported");
  if (yaml.flag("layer-normalization", false))
    yaml.refuse("layer-normalization", "false: a norm inside of the recurrent cell cannot be imported");
  return "ssru";
}

Config::NormPosition marian_norm_position(const PlainYaml& yaml) {
  const std::string before = yaml.word("transformer-preprocess", ""),
                    after = yaml.word("transformer-postprocess", "dan"),
                    top = yaml.word("transformer-postprocess-top", "");
  const auto only = [](std::string ops, const std::string& kept) {
    std::erase(ops, 'd');
    return ops == kept;
  };
  if (only(before, "") && only(after, "an") && only(top, "")) return "post";
  if (only(before, "") && only(after, "an") && only(top, "n")) return "post-last";
  if (only(before, "n") && only(after, "a") && only(top, "n")) return "pre";
  yaml.refuse("transformer-postprocess", cat("dan with no preprocess (post-norm), or da with preprocess n and "
                                             "postprocess-top n (pre-norm); preprocess is '",
                                             before, "' and postprocess-top '", top, "'"));
}

Config::Activation activation(const PlainYaml& yaml) {
  const std::string name = yaml.word("transformer-ffn-activation", "swish");
  if (name != "relu" && name != "swish")
    yaml.refuse("transformer-ffn-activation", "relu or swish: Marian's gelu is another function than elsewhere");
  return Config::Activation::parse("transformer-ffn-activation", name);
}

Config marian_config(const PlainYaml& yaml) {
  refuse_unknown_variants(yaml);
  refuse_unknown_settings(yaml);
  Config c;
  c.enc_layers = yaml.whole("enc-depth", Config::kLayers);
  c.dec_layers = yaml.whole("dec-depth", Config::kLayers);
  c.d_model = yaml.whole("dim-emb", {1, 1 << 16});
  c.d_ff = yaml.whole("transformer-dim-ffn", {1, 1 << 20});
  c.heads = yaml.whole("transformer-heads", {1, 1 << 12});
  if (yaml.word("transformer-ffn-depth", "2") != "2") yaml.refuse("transformer-ffn-depth", "2");
  const bool one = yaml.flag("tied-embeddings-all", false);
  const bool target = yaml.flag("tied-embeddings", false), source = yaml.flag("tied-embeddings-src", false);
  if (source && !one && !target)
    yaml.refuse("tied-embeddings-src",
                "false, or with tied-embeddings: a shared embedding beside an output layer of its own "
                "cannot be imported");
  c.tied = one || (source && target) ? "all" : target ? "decoder" : Config::Tied("none");
  c.norm_position = marian_norm_position(yaml);
  c.embedding_norm = yaml.word("transformer-postprocess-emb", "d").find('n') != std::string::npos;
  c.activation = activation(yaml);
  c.positions = "timing-signal";
  c.attention_bias = true;
  c.generator_bias = true;  // for the start token; zero for others without one
  c.decoder_mixing = decoder_mixing(yaml);
  c.norm_eps = 1e-6;
  return c;
}

class MarianWeights {
 public:
  MarianWeights(const Config& config, const ForeignTensors& tensors) : config_(config), tensors_(tensors) {}

  WeightMap map() {
    embeddings();
    for (const char* stack : {"encoder", "decoder"}) {
      const int64_t layers = std::string_view(stack) == "encoder" ? config_.enc_layers : config_.dec_layers;
      for (int64_t i = 0; i < layers; ++i) layer(cat(stack, ".layers.", i), cat(stack, "_l", i + 1));
      if (config_.embedding_norm) norm(cat(stack, ".input.norm"), cat(stack, "_emb"), "_pre");
      if (config_.has_last_norm()) norm(cat(stack, ".last_norm"), cat(stack, "_top"), "");
    }
    for (const char* name : {kSettings, "decoder_c_mask", "Wpos"}) map_.ignored.emplace_back(name);
    return std::move(map_);
  }

 private:
  // Appends a row of zeros for the start token.
  void embeddings() {
    const bool one = config_.tied == "all";
    const std::string source = one                     ? "Wemb"
                               : tensors_.find("Wemb") ? "Wemb"
                                                       : "encoder_Wemb",
                      target = one ? "Wemb" : "decoder_Wemb";
    map_.origins["embeddings.0.table"] = one ? with_zeros(target, Layout::stacked) : Origin{{{source}}};
    if (!one) map_.origins["embeddings.1.table"] = with_zeros(target, Layout::stacked);
    if (config_.tied == "none") {
      const bool transposed = tensors_.find("decoder_ff_logit_out_Wt") != nullptr;
      map_.origins["generator.weight"] = transposed ? with_zeros("decoder_ff_logit_out_Wt", Layout::transposed)
                                                    : with_zeros("decoder_ff_logit_out_W", Layout::beside);
    }
    map_.origins["generator.bias"] =
        tensors_.find("decoder_ff_logit_out_b")
            ? with_zeros("decoder_ff_logit_out_b", Layout::stacked)
            : Origin{{{"", 0, static_cast<size_t>(config_.target_vocab)}}};  // output-omit-bias
    map_.replaced["generator.bias"][config_.target_vocab - 1] = kNeverWritten;
  }
  static Origin with_zeros(const std::string& name, Layout layout) { return {{{name}, {"", 0, 1}}, layout}; }

  void layer(const std::string& own, const std::string& foreign) {
    const bool decoder = own.starts_with("decoder");
    const std::string suffix = config_.norm_position == "pre" ? "_pre" : "";
    if (decoder && config_.decoder_mixing == "ssru") {
      map_.origins[own + ".recurrence.candidate.weight"] = {{{foreign + "_rnn_W"}}};
      map_.origins[own + ".recurrence.forget.weight"] = {{{foreign + "_rnn_Wf"}}};
      map_.origins[own + ".recurrence.forget.bias"] = {{{foreign + "_rnn_bf"}}};
      norm(own + ".self_norm", foreign + (suffix.empty() ? "_rnn_ffn" : "_rnn"), suffix);
    } else {
      attention(own + ".self_attention", foreign + "_self", {"q", "k", "v"}, "qkv");
      norm(own + (decoder ? ".self_norm" : ".attention_norm"), foreign + "_self_Wo", suffix);
    }
    if (decoder) {
      linear(own + ".cross_attention.query", foreign + "_context", {"q"});
      attention(own + ".cross_attention", foreign + "_context", {"k", "v"}, "key_value");
      norm(own + ".cross_norm", foreign + "_context_Wo", suffix);
    }
    linear(own + ".feed_forward.inner", foreign + "_ffn", {"1"});
    linear(own + ".feed_forward.outer", foreign + "_ffn", {"2"});
    norm(own + ".feed_forward_norm", foreign + "_ffn_ffn", suffix);
  }
  void attention(const std::string& own, const std::string& foreign, const std::vector<std::string>& in,
                 const std::string& name) {
    linear(cat(own, ".", name), foreign, in);
    linear(own + ".output", foreign, {"o"});
  }
  void linear(const std::string& own, const std::string& foreign, const std::vector<std::string>& which) {
    Origin &weight = map_.origins[own + ".weight"], &bias = map_.origins[own + ".bias"];
    weight.layout = Layout::beside;
    for (const std::string& one : which) {
      weight.parts.push_back({cat(foreign, "_W", one)});
      bias.parts.push_back({cat(foreign, "_b", one)});
    }
  }
  void norm(const std::string& own, const std::string& foreign, const std::string& suffix) {
    map_.origins[own + ".gain"] = {{{cat(foreign, "_ln_scale", suffix)}}};
    map_.origins[own + ".bias"] = {{{cat(foreign, "_ln_bias", suffix)}}};
  }

  const Config& config_;
  const ForeignTensors& tensors_;
  WeightMap map_;
};

// The pieces of a SentencePiece model, whose ids are the network's, or of a table.
text::PieceTable marian_table(const std::string& path, const text::PieceModel* pieces, int64_t size) {
  text::PieceTable table{{}, kZeroStart, "</s>", "<unk>", ""};
  if (pieces)
    for (size_t id = 0; id < pieces->size(); ++id) table.pieces.push_back(pieces->pieces[id].text);
  else
    table.pieces = read_yaml_piece_ids(path, static_cast<size_t>(size));
  if (table.pieces.size() > static_cast<size_t>(size))
    throw DataError(
        cat(path, " has ", table.pieces.size(), " pieces, but the model ", size, "; the files do not belong together"));
  table.pieces.resize(static_cast<size_t>(size));
  return table;
}

// size: the network's pieces on this side; start: whether the start token follows them.
std::string marian_vocabulary(const std::string& path, const std::string& subwords, int64_t size, bool start) {
  const bool table = !path.ends_with(".spm");
  const std::string model = table ? subwords : path;
  if (table && !is_file(model))
    throw DataError(cat(path, " is a table of pieces, and there is no ", model,
                        " that cuts text into them; put the model's SentencePiece file there"));
  text::PieceModel pieces = read_piece_model(model);
  text::PieceTable all = marian_table(path, table ? nullptr : &pieces, size);
  if (!table) all.unknown = pieces.pieces[pieces.unknown()].text;
  if (start)
    all.pieces.emplace_back(kZeroStart);
  else
    all.start = all.end;  // nothing begins with a start token there
  return text::with_ids_of(all, pieces, path).serialized();
}

std::map<std::string, std::string> marian_search(const PlainYaml& yaml) {
  std::map<std::string, std::string> search;
  search["beam-size"] = cat(yaml.has("beam-size") ? yaml.whole("beam-size", ranges::kBeam) : 12);
  search["length-penalty"] = cat(yaml.number("normalize", {-100, 100}, 0));
  search["length-normalization"] = "power";
  search["word-penalty"] = cat(yaml.number("word-penalty", {-1e6, 1e6}, 0));
  search["longest-ratio"] = cat(yaml.number("max-length-factor", {0, 1e6}, 3));
  search["unk"] = yaml.flag("allow-unk", false) ? "keep" : "forbid";
  search["stop-when"] = "shrinking";
  return search;
}

int64_t rows_of_table(const ForeignTensors& tensors, const std::string& name) {
  const ForeignTensor& tensor = tensors.get(name);
  const size_t rows = tensor.shape.empty() ? 0 : tensor.shape.front();
  if (rows < 1 || rows >= size_t{Config::kVocabulary.most})
    throw DataError(cat(tensors.path(), ": the tensor ", tensor.text(), " has no row for each piece of a vocabulary"));
  return static_cast<int64_t>(rows);
}

}  // namespace

bool is_marian(const std::string& path) {
  if (is_file(path)) return path.ends_with(".npz") || (path.ends_with(".bin") && is_marian_file(path));
  return !settings_in(path).empty() || !lone_model_in(path).empty();
}

ForeignModel read_marian(const std::string& path, const ImportOptions& options) {
  const Files files = files_of(path);
  if (files.model.empty()) throw DataError(cat(path, ": there is no decoder.yml and no model*.bin of Marian's in it"));
  const auto [tensors, settings] =
      is_marian_file(files.model) ? contents_of<MarianFile>(files.model) : contents_of<NpzFile>(files.model);
  const PlainYaml yaml(settings, cat(files.model, " (", kSettings, ")"));
  const PlainYaml decoder = files.settings.empty() ? settings_of_firefox(files.model) : PlainYaml::read(files.settings);
  refuse_unknown_decoding(decoder);
  ForeignModel m{.origin = "Marian", .config = marian_config(yaml)};
  const bool one = m.config.tied == "all";
  const int64_t target = rows_of_table(*tensors, one ? "Wemb" : "decoder_Wemb");
  const int64_t source = one ? target : rows_of_table(*tensors, tensors->find("Wemb") ? "Wemb" : "encoder_Wemb");
  m.config.target_vocab = target + 1;
  m.config.source_vocab = one ? target + 1 : source;
  resolve(m.config, yaml.name());
  if (!options.positions.empty()) m.config.positions = Config::Positions::parse("positions", options.positions);
  m.config.resolve();
  m.weights = MarianWeights(m.config, *tensors).map();
  m.tensors = tensors;
  check(m.weights, m.config, *tensors);
  const std::vector<std::string> names = decoder.list("vocabs");
  if (names.size() != 2) decoder.refuse("vocabs", "two files, of the source and of the target");
  const std::string place = files.settings.empty() ? files.model : files.settings;
  const std::string of_source = next_to(place, names[0]), of_target = next_to(place, names[1]);
  m.text.source_vocabulary = marian_vocabulary(of_source, next_to(place, "source.spm"), source, one);
  m.text.target_vocabulary = marian_vocabulary(of_target, next_to(place, "target.spm"), target, true);
  m.text.usage.search = marian_search(decoder);
  read_alignment(yaml, decoder, m);
  if (const std::string list = decoder.word("shortlist", "false"); list != "false")
    m.notes.push_back(cat("its settings name the shortlist ", list,
                          ", which stays a file of its own: give it to `translate` with `shortlist`"));
  return m;
}

}  // namespace hexapla::convert
