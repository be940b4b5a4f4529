#include "convert/kinds/toolkits/fairseq.h"

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"
#include "convert/foreign/feed_forwards.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/toolkits/recorded_options.h"
#include "convert/kinds/toolkits/words.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr const char *kFirstLayer = "model.encoder.layers.0.fc1.weight",
                     *kFairseqSource = "model.encoder.embed_tokens.weight",
                     *kFairseqTarget = "model.decoder.embed_tokens.weight";

// The path itself if it is a file, else a file of a usual name in the folder; "": none.
std::string fairseq_checkpoint(const std::string& path) {
  if (is_file(path)) return path;
  for (const char* name : {"model.pt", "checkpoint_best.pt", "checkpoint_last.pt", "checkpoint.pt"})
    if (is_file(cat(path, "/", name))) return cat(path, "/", name);
  return "";
}

// Old checkpoints have one record of options, later ones a tree.
RecordedOptions model_options(const TorchFile& file) {
  const RecordedOptions args(file, {"args"});
  return args.exist() ? args : RecordedOptions(file, {"cfg", "model"});
}

int64_t same_on_both_sides(const RecordedOptions& o, const std::string& what, const Range<int64_t>& allowed) {
  const int64_t value = o.whole("encoder_" + what, allowed);
  if (o.whole("decoder_" + what, allowed, value) != value)
    o.refuse("decoder_" + what, cat(value, ", as in the encoder: models whose sides differ are not read"));
  return value;
}
bool same_on_both_sides(const RecordedOptions& o, const std::string& what) {
  const bool value = o.flag("encoder_" + what, false);
  if (o.flag("decoder_" + what, value) != value)
    o.refuse("decoder_" + what, "the same as in the encoder: models whose sides differ are not read");
  return value;
}

Config::Activation fairseq_activation(const RecordedOptions& o) {
  const std::string name = o.word("activation_fn", "relu");
  if (name == "relu") return "relu";
  if (name == "gelu") return "gelu";
  if (name == "gelu_accurate" || name == "gelu_fast") return "gelu-tanh";
  o.refuse("activation_fn", "relu, gelu, gelu_accurate or gelu_fast");
}

void refuse_fairseq_parts(const RecordedOptions& o) {
  for (const char* option : {"adaptive_input", "adaptive_softmax_cutoff", "no_cross_attention", "cross_self_attention",
                             "no_decoder_final_norm", "encoder_layers_to_keep", "decoder_layers_to_keep", "base_layers",
                             "merge_src_tgt_embed", "char_inputs"})
    o.require_none(option);
}

void set_positions(Config& c, const RecordedOptions& o, const ForeignTensors& tensors) {
  if (o.flag("no_token_positional_embeddings", false)) {
    c.positions = "none";
  } else if (same_on_both_sides(o, "learned_pos")) {
    c.positions = "learned";
    const int64_t rows = std::min(table_rows(tensors, "model.encoder.embed_positions.weight"),
                                  table_rows(tensors, "model.decoder.embed_positions.weight"));
    c.max_positions = rows - static_cast<int64_t>(kFirstLearnedPosition);
    if (c.max_positions < 1) throw DataError(cat(tensors.path(), ": its tables of positions have ", rows, " rows"));
  } else {
    c.positions = "timing-signal";
    c.first_position = kFirstLearnedPosition;  // fairseq's first position follows the padding's id
  }
}

FeedForwardWidths fairseq_widths(const RecordedOptions& o) {
  const Range<int64_t> width{1, 1 << 20};
  return {o.whole("encoder_ffn_embed_dim", width), o.whole("decoder_ffn_embed_dim", width)};
}

Config fairseq_config(const RecordedOptions& o, const ForeignTensors& tensors) {
  refuse_fairseq_parts(o);
  Config c;
  c.enc_layers = o.whole("encoder_layers", Config::kLayers);
  c.dec_layers = o.whole("decoder_layers", Config::kLayers);
  c.d_model = same_on_both_sides(o, "embed_dim", {1, 1 << 16});
  const FeedForwardWidths inner = fairseq_widths(o);
  c.d_ff = std::max(inner.encoder, inner.decoder);
  c.heads = same_on_both_sides(o, "attention_heads", {1, 1 << 12});
  for (const char* width : {"decoder_input_dim", "decoder_output_dim"})
    if (o.whole(width, {1, 1 << 16}, c.d_model) != c.d_model) o.refuse(width, cat(c.d_model, ", the model's width"));
  c.dropout = o.number("dropout", ranges::kBelow1, 0.1);
  c.attention_dropout = o.number("attention_dropout", ranges::kBelow1, 0);
  c.activation_dropout = o.number("activation_dropout", ranges::kBelow1, 0);
  c.activation = fairseq_activation(o);
  c.norm_position = same_on_both_sides(o, "normalize_before") ? "pre" : Config::NormPosition("post");
  c.embedding_norm = o.flag("layernorm_embedding", false);
  c.embedding_scale = o.flag("no_scale_embedding", false) ? "none" : Config::EmbeddingScale("sqrt");
  c.attention_bias = true;
  c.norm_eps = 1e-5;
  const bool all = o.flag("share_all_embeddings", false);
  c.tied = all ? "all" : o.flag("share_decoder_input_output_embed", false) ? "decoder" : Config::Tied("none");
  c.source_vocab = table_rows(tensors, kFairseqSource), c.target_vocab = table_rows(tensors, kFairseqTarget);
  set_positions(c, o, tensors);
  return c;
}

// Before 2019 queries, keys and values were one matrix, and a layer's norms were a list.
void use_old_names(WeightMap& map, const ForeignTensors& tensors, size_t d) {
  const std::pair<std::string, size_t> projections[] = {{"q_proj.", 0}, {"k_proj.", d}, {"v_proj.", 2 * d}};
  const std::pair<std::string, std::string> norms[] = {{".self_attn_layer_norm.", ".layer_norms.0."},
                                                       {".encoder_attn_layer_norm.", ".layer_norms.1."},
                                                       {".final_layer_norm.", ""}};
  for (auto& [name, origin] : map.origins)
    for (Part& part : origin.parts) {
      if (tensors.find(part.tensor)) continue;
      for (const auto& [projection, first] : projections)
        if (const size_t at = part.tensor.find(projection); at != std::string::npos) {
          const std::string old = part.tensor.substr(0, at) + "in_proj_" + part.tensor.substr(at + projection.size());
          if (tensors.find(old)) part = {old, first, d};
        }
      for (const auto& [norm, old] : norms)
        if (const size_t at = part.tensor.find(norm); at != std::string::npos) {
          const bool decoder = part.tensor.find(".decoder.") != std::string::npos;
          const std::string place = !old.empty() ? old : decoder ? ".layer_norms.2." : ".layer_norms.1.";
          const std::string whole = part.tensor.substr(0, at) + place + part.tensor.substr(at + norm.size());
          if (tensors.find(whole)) part.tensor = whole;
        }
    }
}

WeightMap fairseq_weights(const Config& c, const ForeignTensors& tensors) {
  HuggingFaceTables tables{kFairseqSource, kFairseqTarget, "", false};  // transformers' BART has fairseq's names
  if (c.tied == "none")
    tables.output = first_tensor_of(tensors, {"model.decoder.output_projection.weight", "model.decoder.embed_out"});
  WeightMap map = hugging_face_weights(c, tables);
  use_old_names(map, tensors, static_cast<size_t>(c.d_model));
  for (const char* side : {"encoder", "decoder"})
    for (const char* name : {".version", ".embed_positions._float_tensor", ".embed_positions.weights"})
      map.ignored.push_back(cat("model.", side, name));
  if (c.tied != "none") map.ignored.emplace_back("model.decoder.output_projection.weight");
  for (const ForeignTensor& t : tensors.list())
    if (!t.name.starts_with("model.")) map.ignored.push_back(t.name);  // the optimizer's
  return map;
}

// fairseq's lines "token count"; four tokens are not listed.
std::vector<std::string> read_dictionary(const std::string& path) {
  std::vector<std::string> tokens{"<s>", "<pad>", "</s>", "<unk>"};
  size_t number = 0;
  for (const std::string& line : read_token_list(path)) {
    ++number;
    const size_t blank = line.rfind(' ');
    if (blank == line.npos || blank == 0 || !parse_number<int64_t>(line.substr(blank + 1)))
      throw DataError(cat(path, ":", number, ": ", shown(line), " is no 'token count'; give fairseq's dictionary"));
    tokens.push_back(line.substr(0, blank));
  }
  return tokens;
}

// Each multilingual task adds its own language tokens to the dictionary.
void refuse_language_options(const RecordedOptions& o) {
  const std::string task = o.word("task", o.word("_name", ""));
  for (const char* option : {"encoder_langtok", "decoder_langtok", "langs", "lang_dict", "lang_pairs"})
    if (o.has(option) && task != "translation")
      o.refuse(
          option,
          cat("none: of fairseq's multilingual models (here the task ", shown(task),
              ") the dictionary does not have the languages' tokens; import the model as Hugging Face converted it"));
  for (const char* option : {"encoder_langtok", "decoder_langtok", "langs"}) o.require_none(option);
}

class Words {
 public:
  Words(const TorchFile& file, const ImportOptions& options) : options_(options), folder_(folder_of(file.path())) {
    for (const std::vector<std::string>& keys : {std::vector<std::string>{"args"}, {"cfg", "task"}}) {
      const RecordedOptions o(file, keys);
      if (source_.empty()) source_ = o.word("source_lang", "");
      if (target_.empty()) target_ = o.word("target_lang", "");
      refuse_language_options(o);
    }
  }
  TokenSide source() const {
    return side(options_.source_vocab, "source-vocab", source_, options_.source_spm, "source");
  }
  TokenSide target() const {
    const std::string& pieces = options_.target_spm.empty() ? options_.source_spm : options_.target_spm;
    return side(options_.target_vocab, "target-vocab", target_, pieces, "target");
  }

 private:
  TokenSide side(const std::string& asked, const std::string& option, const std::string& language,
                 const std::string& pieces, const std::string& name) const {
    const std::string path = !asked.empty() ? asked : cat(folder_, "/dict.", last_name(language), ".txt");
    if (!is_file(path))
      throw UsageError(cat("`", option, "` is missing: the dictionary of fairseq, as there is no ", path), option,
                       asked);
    return {
        read_dictionary(path),
        {"</s>", "</s>", "<unk>", "<pad>"},
        path,
        pieces_for(pieces, folder_, {"sentencepiece.bpe.model", "spm.model", name + ".spm", "bpecodes", "bpe.codes"})};
  }

  const ImportOptions& options_;
  std::string folder_, source_, target_;
};

}  // namespace

bool is_fairseq(const std::string& path) {
  const std::string file = fairseq_checkpoint(path);
  if (file.empty() || !(file.ends_with(".pt") || file.ends_with(".pth")) || !TorchFile::is_one(file)) return false;
  const TorchFile checkpoint(file);
  const auto& all = checkpoint.list();
  const bool of_pairs =  // several models in one, from the task multilingual_translation
      std::any_of(all.begin(), all.end(), [](const ForeignTensor& t) { return t.name.starts_with("model.models."); });
  return (checkpoint.find(kFirstLayer) || of_pairs) && model_options(checkpoint).exist();
}

ForeignModel read_fairseq(const std::string& path, const ImportOptions& options) {
  const std::string at = fairseq_checkpoint(path);
  if (at.empty())
    throw DataError(cat(path, ": there is no checkpoint of fairseq (model.pt, checkpoint_best.pt) in it"));
  const auto file = std::make_shared<TorchFile>(at);
  const RecordedOptions o = model_options(*file);
  if (!o.exist())
    throw DataError(cat(at, ": it records no options ('args', or 'cfg' with 'model'), as checkpoints of fairseq do"));
  const Words words(*file, options);
  ForeignModel m{.origin = "fairseq", .config = fairseq_config(o, *file)};
  resolve(m.config, at);
  m.weights = fairseq_weights(m.config, *file);
  m.tensors = file;
  widen_feed_forwards(m, fairseq_widths(o), at);
  check(m.weights, m.config, *file);  // checks the vocabulary sizes against the tensors
  put_words(m, words.source(), words.target());
  m.text.usage.search = {{"beam-size", "5"},
                         {"length-penalty", "1"},
                         {"length-normalization", "power"},
                         {"longest", "200"},
                         {"min-length", "1"}};
  return m;
}

}  // namespace hexapla::convert
