#include "convert/kinds/marian/marian_writer.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "convert/kinds/marian/folded_start.h"
#include "convert/kinds/marian/npz_writer.h"
#include "convert/kinds/zero_start.h"
#include "convert/writing/new_folder.h"
#include "convert/writing/plain_text.h"
#include "convert/writing/search_there.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr double kEpsilonThere = 1e-6, kMostEpsilon = 1e-5;  // of Marian's norms; values up to the second are exported

[[noreturn]] void cannot_say(const std::string& what) {
  throw DataError("Marian has no " + what + "; export another model");
}

void check_for_marian(const Config& c) {
  if (c.score != "scaled-dot") cannot_say("attention score " + c.score);
  if (c.norm != "layer") cannot_say("norm " + c.norm);
  if (c.norm_eps > kMostEpsilon) cannot_say(cat("epsilon ", c.norm_eps, " inside of the norms, but 1e-06"));
  if (c.encoder_mixing != "attention") cannot_say(c.encoder_mixing + " in the encoder");
  if (c.decoder_mask != "causal") cannot_say("decoder without a mask");
  if (c.experts > 0) cannot_say("mixture of experts");
  if (c.gated) cannot_say("gated feed-forward network");
  if (c.activation == "gelu" || c.activation == "gelu-tanh")
    cannot_say("activation " + c.activation + ", but an approximation of it");
  if (c.d_k != c.d_v || c.heads * c.d_k != c.d_model)
    cannot_say(cat("heads of width ", c.d_k, " and ", c.d_v, ", but only those of dim-model / heads"));
  if (c.positions != "timing-signal")
    cannot_say("positions " + c.positions + ", but those of `positions` timing-signal");
  if (c.first_position != 0) cannot_say(cat("positions that begin at ", c.first_position, ", but at 0"));
  if (c.embedding_scale != "sqrt") cannot_say("embeddings that are not multiplied by the root of their width");
}

struct NamedMatrix {
  size_t rows, columns;
  std::vector<float> numbers;

  NamedMatrix part(size_t from, size_t count) const {
    NamedMatrix some{rows, count, {}};
    for (size_t i = 0; i < rows; ++i) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(i * columns + from);
      some.numbers.insert(some.numbers.end(), row, row + static_cast<std::ptrdiff_t>(count));
    }
    return some;
  }
};

class MarianExporter {
 public:
  // pieces: the exported target's. never: those that translations do not have here, but would there.
  MarianExporter(model::LoadedModel& m, int64_t pieces, std::vector<int32_t> never, const std::string& path)
      : config_(m.config), pieces_(static_cast<size_t>(pieces)), never_(std::move(never)), out_(path) {
    for (const auto& [name, parameter] : leaves_of(*m.net).parameters) tensors_[name] = parameter->value;
  }

  // settings: the model's, as text.
  void write(const std::vector<StartFolded>& folded, const std::string& settings) {
    for (const StartFolded& one : folded)
      for (const auto& [name, numbers] : one.changed) changed_[name] = numbers;
    embeddings();
    for (const char* stack : {"encoder", "decoder"}) {
      const int64_t layers = std::string_view(stack) == "encoder" ? config_.enc_layers : config_.dec_layers;
      for (int64_t i = 0; i < layers; ++i) layer(cat(stack, ".layers.", i), cat(stack, "_l", i + 1));
      if (config_.embedding_norm) norm(cat(stack, "_emb"), cat(stack, ".input.norm"), "_pre");
      if (config_.has_last_norm()) norm(cat(stack, "_top"), cat(stack, ".last_norm"), "");
    }
    // Converters (CTranslate2's, transformers') cut off exactly one zero and fail on more.
    out_.add_text("special:model.yml", settings + '\0');
    out_.commit();
  }

 private:
  bool has(const std::string& name) const { return tensors_.count(name) > 0 || changed_.count(name) > 0; }
  NamedMatrix matrix(const std::string& name) const {
    if (const auto other = changed_.find(name); other != changed_.end() && !tensors_.count(name))
      return {1, other->second.size(), other->second};
    const auto found = tensors_.find(name);
    HEXAPLA_CHECK(found != tensors_.end(), "export: there is no parameter ", name);
    const auto values = found->second.values<float>();
    const Shape& shape = found->second.shape;
    const auto rows = static_cast<size_t>(shape.rank() == 2 ? shape[0] : 1);
    const auto other = changed_.find(name);
    return {rows, values.size() / rows,
            other != changed_.end() ? other->second : std::vector<float>(values.begin(), values.end())};
  }
  void add(const std::string& name, const NamedMatrix& m) { out_.add(name, {m.rows, m.columns}, m.numbers); }

  // Limits the target's tables to Marian's pieces, without the start token that import appends.
  void embeddings() {
    const bool one = config_.tied == "all";
    const auto table = [&](const std::string& own, const std::string& theirs, size_t rows) {
      NamedMatrix m = matrix(own);
      m.rows = std::min(m.rows, rows);
      m.numbers.resize(m.rows * m.columns);
      add(theirs, m);
    };
    table("embeddings.0.table", one ? "Wemb" : "encoder_Wemb", one ? pieces_ : SIZE_MAX);
    if (!one) table("embeddings.1.table", "decoder_Wemb", pieces_);
    if (config_.tied == "none") add("decoder_ff_logit_out_W", matrix("generator.weight").part(0, pieces_));
    NamedMatrix bias = has("generator.bias") ? matrix("generator.bias").part(0, pieces_)
                                             : NamedMatrix{1, pieces_, std::vector<float>(pieces_, 0)};
    for (const int32_t id : never_)
      if (static_cast<size_t>(id) < pieces_) bias.numbers[id] = kNeverWritten;
    add("decoder_ff_logit_out_b", bias);
  }

  void layer(const std::string& own, const std::string& theirs) {
    const bool decoder = own.starts_with("decoder");
    const std::string suffix = config_.norm_position == "pre" ? "_pre" : "";
    if (decoder && config_.decoder_mixing == "ssru") {
      add(theirs + "_rnn_W", matrix(own + ".recurrence.candidate.weight"));
      add(theirs + "_rnn_Wf", matrix(own + ".recurrence.forget.weight"));
      add(theirs + "_rnn_bf", matrix(own + ".recurrence.forget.bias"));
      norm(theirs + (suffix.empty() ? "_rnn_ffn" : "_rnn"), own + ".self_norm", suffix);
    } else {
      linear(theirs + "_self", own + ".self_attention.qkv", {"q", "k", "v"});
      linear(theirs + "_self", own + ".self_attention.output", {"o"});
      norm(theirs + "_self_Wo", own + (decoder ? ".self_norm" : ".attention_norm"), suffix);
    }
    if (decoder) {
      linear(theirs + "_context", own + ".cross_attention.query", {"q"});
      linear(theirs + "_context", own + ".cross_attention.key_value", {"k", "v"});
      linear(theirs + "_context", own + ".cross_attention.output", {"o"});
      norm(theirs + "_context_Wo", own + ".cross_norm", suffix);
    }
    linear(theirs + "_ffn", own + ".feed_forward.inner", {"1"});
    linear(theirs + "_ffn", own + ".feed_forward.outer", {"2"});
    norm(theirs + "_ffn_ffn", own + ".feed_forward_norm", suffix);
  }
  // Splits matrices that are stored side by side here; missing biases become zeros.
  void linear(const std::string& theirs, const std::string& own, const std::vector<std::string>& letters) {
    const NamedMatrix weight = matrix(own + ".weight");
    const size_t width = weight.columns / letters.size();
    const bool bias = has(own + ".bias");
    for (size_t i = 0; i < letters.size(); ++i) {
      add(cat(theirs, "_W", letters[i]), weight.part(i * width, width));
      add(cat(theirs, "_b", letters[i]),
          bias ? matrix(own + ".bias").part(i * width, width) : NamedMatrix{1, width, std::vector<float>(width, 0)});
    }
  }
  void norm(const std::string& theirs, const std::string& own, const std::string& suffix) {
    add(cat(theirs, "_ln_scale", suffix), matrix(own + ".gain"));
    add(cat(theirs, "_ln_bias", suffix), matrix(own + ".bias"));
  }

  const Config& config_;
  size_t pieces_;
  std::vector<int32_t> never_;
  NpzWriter out_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::vector<float>> changed_;  // replace those, or add missing parameters
};

// aligned: the decoder layer, from 0, used for word alignment; none: Marian's default.
std::string model_settings(const Config& c, int64_t target, const std::optional<int64_t>& aligned) {
  const bool pre = c.norm_position == "pre", ssru = c.decoder_mixing == "ssru";
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  const int64_t source = c.tied == "all" ? target : c.source_vocab;
  return cat("dec-cell: ", ssru ? "ssru" : "gru",
             "\ndec-cell-base-depth: 2\ndec-cell-high-depth: 1\ndec-depth: ", c.dec_layers, "\ndim-emb: ", c.d_model,
             "\ndim-rnn: 1024\ndim-vocabs:\n  - ", source, "\n  - ", target,
             "\nenc-cell: gru\nenc-cell-depth: 1\nenc-depth: ", c.enc_layers,
             "\nenc-type: bidirectional\ninput-types:\n  []\nlayer-normalization: false\nlemma-dim-emb: 0\n"
             "output-omit-bias: false\nright-left: false\nskip: false\ntied-embeddings: ",
             flag(c.tied == "decoder"), "\ntied-embeddings-all: ", flag(c.tied == "all"),
             "\ntied-embeddings-src: false\ntransformer-decoder-autoreg: ", ssru ? "rnn" : "self-attention",
             "\ntransformer-dim-ffn: ", c.d_ff, "\ntransformer-ffn-activation: ", c.activation,
             "\ntransformer-ffn-depth: 2\ntransformer-guided-alignment-layer: ",
             aligned && *aligned + 1 < c.dec_layers ? cat(*aligned + 1) : "last", "\ntransformer-heads: ", c.heads,
             "\ntransformer-no-projection: false\ntransformer-postprocess: ", pre ? "da" : "dan",
             "\ntransformer-postprocess-emb: ", c.embedding_norm ? "nd" : "d",
             "\ntransformer-postprocess-top: ", c.has_last_norm() ? "n" : "\"\"",
             "\ntransformer-preprocess: ", pre ? "n" : "\"\"",
             "\ntransformer-tied-layers:\n  []\ntransformer-train-position-embeddings: false\ntype: transformer\n"
             "ulr: false\nversion: v1.12.0\n");
}

// Search options in Marian's terms.
std::string search_settings(const decode::DecodingOptions& search, const std::string& source,
                            const std::string& target) {
  std::string text = cat("relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - ", source, "\n  - ", target,
                         "\nbeam-size: ", search.beam_size, "\nnormalize: ", search.length_penalty,
                         "\nword-penalty: ", search.word_penalty, "\n");
  if (search.longest_ratio > 0) text += cat("max-length-factor: ", search.longest_ratio, "\n");
  if (search.unk != "forbid") text += "allow-unk: true\n";
  return text;
}

// Writes one side's files: NAME.spm, and NAME.yml if some pieces have no id. Returns the one that
// numbers the pieces.
std::string write_pieces(const NewFolder& out, const std::string& vocabulary, const std::string& name, bool start) {
  text::PieceModel pieces = text::PieceModel::parse(vocabulary, name);
  size_t numbered = pieces.size();
  if (start) pieces.pieces.erase(pieces.pieces.begin() + static_cast<std::ptrdiff_t>(--numbered));
  pieces.ids = 0;
  write_file_atomically(out.file(name + ".spm"), pieces.serialized());
  if (numbered == pieces.pieces.size()) return name + ".spm";
  std::string table;
  for (size_t id = 0; id < numbered; ++id)
    table += cat(json_text(nlohmann::json(pieces.pieces[id].text)), ": ", id, "\n");
  write_file_atomically(out.file(name + ".yml"), table);
  return name + ".yml";
}

}  // namespace

std::vector<std::string> export_marian(model::LoadedModel& m, const std::string& folder,
                                       const decode::DecodingOptions& search) {
  check_for_marian(m.config);
  const auto source_pieces = text::Vocabulary::parse(m.source_vocabulary, "source"),
             target = text::Vocabulary::parse(m.target_vocabulary, "target");
  if (const std::string what = beyond_plain_text(source_pieces, target); !what.empty()) cannot_say(what);
  // The last piece in models imported from Marian, which has no start token.
  const bool start_is_last = target.bos() == target.size() - 1;
  const std::vector<StartFolded> folded = folded_starts(m, target.bos());
  std::vector<std::string> notes;
  if (m.config.norm_eps != kEpsilonThere)
    notes.push_back(
        cat("the norms there have the epsilon 1e-06, here ", m.config.norm_eps, ": numbers differ by some millionths"));
  decode::DecodingOptions there = in_powers_of_length(search, notes);
  if (there.longest_ratio == 0) {
    there.longest_ratio = 3;  // Marian's default
    notes.push_back("translations have at most 3 times as many tokens as their source there (`longest-ratio` 3)");
  }
  if (there.stop_when != "shrinking") {
    there.stop_when = "shrinking";
    notes.push_back("what is finished leaves its place in the beam empty there (`stop-when` shrinking)");
  }
  if (!notes.empty()) notes.push_back(same_search_here(there));
  if (m.usage.alignment_layer && m.usage.alignment_head != 0)
    notes.push_back("words are aligned by the first head of a layer there, here by another, or by the mean of all");
  NewFolder out(folder);
  const int64_t pieces = m.config.target_vocab - (start_is_last ? 1 : 0);
  std::vector<int32_t> never{target.bos()};
  if (target.pad() >= 0) never.push_back(target.pad());
  MarianExporter(m, pieces, never, out.file("model.npz"))
      .write(folded, model_settings(m.config, pieces, m.usage.alignment_layer));
  const std::string source = write_pieces(out, m.source_vocabulary, "source", start_is_last && m.config.tied == "all"),
                    of_target = write_pieces(out, m.target_vocabulary, "target", start_is_last);
  write_file_atomically(out.file("model.npz.decoder.yml"), search_settings(there, source, of_target));
  out.commit();
  return notes;
}

}  // namespace hexapla::convert
