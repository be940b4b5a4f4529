// The table of options of an import.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {
namespace {

const Choices& names_of_kinds() {
  static const Choices names = [] {
    Choices all;
    for (const Kind& kind : kinds()) all.push_back(kind.name);
    return all;
  }();
  return names;
}

const char* help_of_from() {
  static const std::string help =
      fmt::format("kind of model: {}; default: detected", fmt::join(names_of_kinds(), ", "));
  return help.c_str();
}

}  // namespace

OptionRows ImportOptions::rows() {
  static const Choices starts{"none", "bos"}, norms{"post", "pre"};
  OptionTable rows;
  rows.add({"from", from, help_of_from(), names_of_kinds()});
  rows.add(
      {"positions", positions,
       "positional encoding in place of the one that its system computes with: timing-signal for a model that Marian "
       "trained and Hugging Face converted",
       AnyValue{}});
  rows.add({"map", map,
            "safetensors: JSON file that says which tensors are which parameters; default: map.json in the folder",
            AnyValue{}});
  rows.add({"source-vocab", source_vocab,
            "PyTorch, safetensors: tokens of the source by id, one per line, a JSON list or a pickle (.pkl), or a "
            "SentencePiece model (.spm, .model); fairseq: dict.*.txt; JoeyNMT: src_vocab.txt",
            AnyValue{}});
  rows.add({"target-vocab", target_vocab, "the same of the target; default: that of the source", AnyValue{}});
  rows.add({"source-spm", source_spm,
            "SentencePiece model that cuts text into the tokens of a list (PyTorch, CTranslate2, fairseq, OpenNMT-py, "
            "JoeyNMT); default: text comes cut into tokens, with blanks between them",
            AnyValue{}});
  rows.add({"target-spm", target_spm, "the same of the target; default: that of the source", AnyValue{}});
  rows.add({"source-start", source_start,
            "PyTorch, safetensors: bos where the model was trained on sources that begin with the token that starts "
            "translations, as in PyTorch's tutorial and the Annotated Transformer; default: none, but bos for "
            "pytorch-seq2seq",
            starts});
  rows.add(
      {"bpe", bpe,
       "codes of subword-nmt or fastBPE, which cut words into such tokens (th@@ e) on both sides; text comes cut into "
       "words",
       AnyValue{}});
  rows.add({"heads", heads, "PyTorch: attention heads; default: as the checkpoint records them",
            Range<int64_t>{.least = 1, .most = 1 << 12, .zero = "recorded"}});
  rows.add(
      {"norm-position", norm_position,
       "torch.nn.Transformer: pre for norm_first=True; default: post, with the norm after each stack if there is one",
       norms});
  rows.add({"activation", activation,
            "torch.nn.Transformer: its activation, which a state dict lacks; default: as the checkpoint records it",
            model::Config::Activation::choices()});
  rows.add({"norm-eps", norm_eps,
            "torch.nn.Transformer: its layer_norm_eps, which a state dict lacks; default: as the checkpoint records it",
            Range<double>{.least = 0, .most = 1, .open_least = true, .zero = "recorded"}});
  rows.add({"embedding-scale", embedding_scale,
            "PyTorch: what embeddings are multiplied by; default: as usual in this layout",
            model::Config::EmbeddingScale::choices()});
  rows.add({"source-embedding", source_embedding,
            "torch.nn.Transformer: name of the matrix of source embeddings; default: found by name", AnyValue{}});
  rows.add({"target-embedding", target_embedding, "the same for the target embeddings", AnyValue{}});
  rows.add({"generator", generator, "the same for the matrix before the softmax", AnyValue{}});
  rows.add({"source-language", source_language,
            "M2M-100, NLLB-200, mBART-50: language of the sources, en, eng_Latn, en_XX; default: from the files",
            AnyValue{}});
  rows.add({"target-language", target_language, "the same for the translations", AnyValue{}});
  return rows;
}

}  // namespace hexapla::convert
