#include "convert/out/marian.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/json.h"
#include "convert/out/new_folder.h"
#include "convert/out/npz_writer.h"
#include "decode/models/search_defaults.h"
#include "text/vocabulary/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr size_t kTextAlignment = 256;  // of Marian's settings inside of a model

[[noreturn]] void cannot_say(const std::string& what) {
  throw DataError("Marian has no " + what + "; export another model");
}

void check_for_marian(const Config& c) {
  if (c.score != "scaled-dot") cannot_say("attention score " + c.score);
  if (c.norm != "layer") cannot_say("norm " + c.norm);
  if (c.norm_eps != 1e-6) cannot_say(cat("epsilon ", c.norm_eps, " inside of the norms, but 1e-06"));
  if (c.encoder_mixing != "attention") cannot_say(c.encoder_mixing + " in the encoder");
  if (c.decoder_mask != "causal") cannot_say("decoder without a mask");
  if (c.experts > 0) cannot_say("mixture of experts");
  if (c.gated) cannot_say("gated feed-forward network");
  if (c.activation.starts_with("gelu")) cannot_say("activation " + c.activation + ", but an approximation of it");
  if (c.d_k != c.d_v || c.heads * c.d_k != c.d_model)
    cannot_say(cat("heads of width ", c.d_k, " and ", c.d_v, ", but only those of dim-model / heads"));
  if (c.positions != "timing-signal" || c.first_position != 0)
    cannot_say("positions " + c.positions + ", but those of `positions` timing-signal, from 0 on");
  if (c.embedding_scale != "sqrt") cannot_say("embeddings that are not multiplied by the root of their width");
}

struct Matrix {
  size_t rows, columns;
  std::vector<float> numbers;

  Matrix part(size_t from, size_t count) const {
    Matrix some{rows, count, {}};
    for (size_t i = 0; i < rows; ++i) {
      const auto row = numbers.begin() + static_cast<std::ptrdiff_t>(i * columns + from);
      some.numbers.insert(some.numbers.end(), row, row + static_cast<std::ptrdiff_t>(count));
    }
    return some;
  }
};

class MarianExporter {
 public:
  MarianExporter(model::LoadedModel& m, const std::string& path) : config_(m.config), out_(path) {
    for (const auto& [name, parameter] : leaves_of(*m.net).parameters) tensors_[name] = parameter->value;
  }

  // settings: of the model, as a text.
  void write(const std::string& settings) {
    embeddings();
    for (const char* stack : {"encoder", "decoder"}) {
      const int64_t layers = std::string_view(stack) == "encoder" ? config_.enc_layers : config_.dec_layers;
      for (int64_t i = 0; i < layers; ++i) layer(cat(stack, ".layers.", i), cat(stack, "_l", i + 1));
      if (config_.embedding_norm) norm(cat(stack, "_emb"), cat(stack, ".input.norm"), "_pre");
      if (config_.has_last_norm()) norm(cat(stack, "_top"), cat(stack, ".last_norm"), "");
    }
    std::string text = settings;
    text.resize((text.size() / kTextAlignment + 1) * kTextAlignment, '\0');
    out_.add_text("special:model.yml", text);
    out_.commit();
  }

 private:
  Matrix matrix(const std::string& name) const {
    const auto found = tensors_.find(name);
    HEXAPLA_CHECK(found != tensors_.end(), "export: there is no parameter ", name);
    const auto values = found->second.values<float>();
    const Shape& shape = found->second.shape;
    const auto rows = static_cast<size_t>(shape.rank() == 2 ? shape[0] : 1);
    return {rows, values.size() / rows, {values.begin(), values.end()}};
  }
  void add(const std::string& name, const Matrix& m) { out_.add(name, {m.rows, m.columns}, m.numbers); }

  // The start token, the last one, is none of Marian's: there a translation starts with zeros.
  void embeddings() {
    const size_t pieces = static_cast<size_t>(config_.target_vocab) - 1;
    const bool one = config_.tied == "all";
    const auto table = [&](const std::string& own, const std::string& theirs, bool without_start) {
      Matrix m = matrix(own);
      if (without_start) {
        const auto start = m.numbers.end() - static_cast<std::ptrdiff_t>(m.columns);
        if (std::any_of(start, m.numbers.end(), [](float x) { return x != 0; }))
          cannot_say(
              "start token with an embedding: a translation starts with zeros there, as in models that Marian "
              "trained");
        m.numbers.erase(start, m.numbers.end());
        --m.rows;
      }
      add(theirs, m);
    };
    table("embeddings.0.table", one ? "Wemb" : "encoder_Wemb", one);
    if (!one) table("embeddings.1.table", "decoder_Wemb", true);
    if (config_.tied == "none") add("decoder_ff_logit_out_W", matrix("generator.weight").part(0, pieces));
    const bool bias = tensors_.count("generator.bias") > 0;
    add("decoder_ff_logit_out_b",
        bias ? matrix("generator.bias").part(0, pieces) : Matrix{1, pieces, std::vector<float>(pieces, 0)});
  }

  void layer(const std::string& own, const std::string& theirs) {
    const bool decoder = own.starts_with("decoder");
    const std::string suffix = config_.norm_position == "pre" ? "_pre" : "";
    if (decoder && config_.decoder_mixing == "ssru") {
      add(theirs + "_rnn_W", matrix(own + ".recurrence.candidate.weight"));
      add(theirs + "_rnn_Wf", matrix(own + ".recurrence.forget.weight"));
      add(theirs + "_rnn_bf", matrix(own + ".recurrence.forget.bias"));
      norm(theirs + "_rnn_ffn", own + ".self_norm", suffix);
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
  // Matrices that lie side by side here, apart; a bias that is not here is zeros there.
  void linear(const std::string& theirs, const std::string& own, const std::vector<std::string>& letters) {
    const Matrix weight = matrix(own + ".weight");
    const size_t width = weight.columns / letters.size();
    const bool bias = tensors_.count(own + ".bias") > 0;
    for (size_t i = 0; i < letters.size(); ++i) {
      add(cat(theirs, "_W", letters[i]), weight.part(i * width, width));
      add(cat(theirs, "_b", letters[i]),
          bias ? matrix(own + ".bias").part(i * width, width) : Matrix{1, width, std::vector<float>(width, 0)});
    }
  }
  void norm(const std::string& theirs, const std::string& own, const std::string& suffix) {
    add(cat(theirs, "_ln_scale", suffix), matrix(own + ".gain"));
    add(cat(theirs, "_ln_bias", suffix), matrix(own + ".bias"));
  }

  const Config& config_;
  NpzWriter out_;
  std::map<std::string, Tensor> tensors_;
};

std::string model_settings(const Config& c) {
  const bool pre = c.norm_position == "pre", ssru = c.decoder_mixing == "ssru";
  const auto flag = [](bool on) { return on ? "true" : "false"; };
  const int64_t target = c.target_vocab - 1, source = c.tied == "all" ? target : c.source_vocab;
  return cat("dec-cell: ", ssru ? "ssru" : "gru",
             "\ndec-cell-base-depth: 2\ndec-cell-high-depth: 1\ndec-depth: ", c.dec_layers, "\ndim-emb: ", c.d_model,
             "\ndim-rnn: 1024\ndim-vocabs:\n  - ", source, "\n  - ", target,
             "\nenc-cell: gru\nenc-cell-depth: 1\nenc-depth: ", c.enc_layers,
             "\nenc-type: bidirectional\ninput-types:\n  []\nlayer-normalization: false\nlemma-dim-emb: 0\n"
             "output-omit-bias: false\nright-left: false\nskip: false\ntied-embeddings: ",
             flag(c.tied == "decoder"), "\ntied-embeddings-all: ", flag(c.tied == "all"),
             "\ntied-embeddings-src: false\ntransformer-decoder-autoreg: ", ssru ? "rnn" : "self-attention",
             "\ntransformer-dim-ffn: ", c.d_ff, "\ntransformer-ffn-activation: ", c.activation,
             "\ntransformer-ffn-depth: 2\ntransformer-guided-alignment-layer: last\ntransformer-heads: ", c.heads,
             "\ntransformer-no-projection: false\ntransformer-postprocess: ", pre ? "da" : "dan",
             "\ntransformer-postprocess-emb: ", c.embedding_norm ? "nd" : "d",
             "\ntransformer-postprocess-top: ", c.has_last_norm() ? "n" : "\"\"",
             "\ntransformer-preprocess: ", pre ? "n" : "\"\"",
             "\ntransformer-tied-layers:\n  []\ntransformer-train-position-embeddings: false\ntype: transformer\n"
             "ulr: false\nversion: v1.12.0\n");
}

// The model's own search, in Marian's words.
std::string search_settings(const model::LoadedModel& m, const std::string& source, const std::string& target) {
  std::string text = cat("relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - ", source, "\n  - ", target, "\n");
  const auto found = m.history.find(decode::kSearchDefaults);
  if (found == m.history.end()) return text;
  const auto values = nlohmann::json::parse(found->second, nullptr, false);
  const std::pair<const char*, const char*> words[] = {{"beam-size", "beam-size"},
                                                       {"length-penalty", "normalize"},
                                                       {"word-penalty", "word-penalty"},
                                                       {"longest-ratio", "max-length-factor"}};
  for (const auto& [own, theirs] : words)
    if (values.is_object() && values.contains(own)) {
      const auto& value = values[own];
      text += cat(theirs, ": ", value.is_string() ? value.get<std::string>() : json_text(value), "\n");
    }
  return text;
}

// One side's files: NAME.spm, and NAME.yml where some of its pieces have no id. -> the one that numbers the pieces
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

void export_marian(model::LoadedModel& m, const std::string& folder) {
  check_for_marian(m.config);
  const auto target = text::Vocabulary::parse(m.target_vocabulary, "target");
  if (target.bos() != target.size() - 1)
    cannot_say(
        cat("start token among its pieces: a translation starts with zeros there, as in models that Marian "
            "trained, and here with ",
            target.piece(target.bos())));
  NewFolder out(folder);
  MarianExporter(m, out.file("model.npz")).write(model_settings(m.config));
  const std::string source = write_pieces(out, m.source_vocabulary, "source", m.config.tied == "all"),
                    of_target = write_pieces(out, m.target_vocabulary, "target", true);
  write_file_atomically(out.file("model.npz.decoder.yml"), search_settings(m, source, of_target));
  out.commit();
}

}  // namespace hexapla::convert
