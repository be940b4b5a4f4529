#pragma once
// A model of another system as its reader (convert/kinds) returns it: everything that our model
// file is made from.
#include <memory>
#include <string>
#include <vector>

#include "base/range.h"
#include "convert/foreign/weight_map.h"
#include "model/config.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

struct ForeignModel {
  std::string origin;     // for the provenance in the model file: "Hugging Face Marian"
  model::Config config;   // resolved
  model::ModelText text;  // includes that system's defaults for using this model
  std::shared_ptr<const ForeignTensors> tensors;
  WeightMap weights;
  std::vector<std::string> notes;  // for the user: what differs after the import
};

// Options that supplement what the files say.
struct ImportOptions {
  // f(name, field, help, allowed). Which kinds of model read an option: Kind::options.
  template <class Self, class F>
  static void visit(Self& o, F&& f);

  std::string from;       // name of a Kind; "": detected from the files
  std::string positions;  // kind of positional encoding; "": the original system's
  // Not recorded in PyTorch's files (kinds/torch_state_dict.h): attention heads, 0: as in the
  // checkpoint; "pre" or "post"; "sqrt" or "none"; names of tensors that cannot be found
  // automatically.
  int64_t heads = 0;
  std::string norm_position, embedding_scale, source_embedding, target_embedding, generator;
  // For torch.nn.Transformer, whose state dicts record neither: the model's `activation` and
  // `norm-eps`; "" and 0: as in the checkpoint.
  std::string activation;
  double norm_eps = 0;
  std::string map;  // a file that maps names (kinds/mapped_safetensors.h); "": map.json in the folder
  // Files: tokens by id, one per line or a JSON list, or a SentencePiece model; SentencePiece
  // models that split text into the tokens of a list. Target "": the same as the source's.
  std::string source_vocab, target_vocab, source_spm, target_spm;
  std::string source_start;  // "bos": sources begin with the token that starts translations; "none"; "": as usual
  std::string bpe;           // merges of subword-nmt or fastBPE, used where source_spm or target_spm is ""
  // Languages of multilingual models by their own codes: "en", "eng_Latn", "en_XX". "": the files'.
  std::string source_language, target_language;
};

const Choices& names_of_kinds();
const char* help_of_from();

template <class Self, class F>
void ImportOptions::visit(Self& o, F&& f) {
  f("from", o.from, help_of_from(), names_of_kinds());
  f("positions", o.positions,
    "positional encoding in place of the one that its system computes with: timing-signal for a model that "
    "Marian trained and Hugging Face converted",
    AnyValue{});
  f("map", o.map,
    "safetensors: JSON file that says which tensors are which parameters; default: map.json in the folder", AnyValue{});
  f("source-vocab", o.source_vocab,
    "PyTorch, safetensors: tokens of the source by id, one per line, a JSON list or a pickle (.pkl), or a "
    "SentencePiece model (.spm, .model); fairseq: dict.*.txt; JoeyNMT: src_vocab.txt",
    AnyValue{});
  f("target-vocab", o.target_vocab, "the same of the target; default: that of the source", AnyValue{});
  f("source-spm", o.source_spm,
    "SentencePiece model that cuts text into the tokens of a list (PyTorch, CTranslate2, fairseq, OpenNMT-py, "
    "JoeyNMT); default: text comes cut "
    "into tokens, with blanks between them",
    AnyValue{});
  f("target-spm", o.target_spm, "the same of the target; default: that of the source", AnyValue{});
  f("source-start", o.source_start,
    "PyTorch, safetensors: bos where the model was trained on sources that begin with the token that starts "
    "translations, as in PyTorch's tutorial and the Annotated Transformer; default: none, but bos for pytorch-seq2seq",
    Choices{"none", "bos"});
  f("bpe", o.bpe,
    "codes of subword-nmt or fastBPE, which cut words into such tokens (th@@ e) on both sides; text comes cut into "
    "words",
    AnyValue{});
  f("heads", o.heads, "PyTorch: attention heads; default: as the checkpoint records them",
    Range<int64_t>{.least = 1, .most = 1 << 12, .zero = "recorded"});
  f("norm-position", o.norm_position,
    "torch.nn.Transformer: pre for norm_first=True; default: post, with the norm after each stack if there is one",
    Choices{"post", "pre"});
  f("activation", o.activation,
    "torch.nn.Transformer: its activation, which a state dict lacks; default: as the checkpoint records it",
    model::Config::Activation::choices());
  f("norm-eps", o.norm_eps,
    "torch.nn.Transformer: its layer_norm_eps, which a state dict lacks; default: as the checkpoint records it",
    Range<double>{.least = 0, .most = 1, .open_least = true, .zero = "recorded"});
  f("embedding-scale", o.embedding_scale,
    "PyTorch: what embeddings are multiplied by; default: as usual in this layout",
    model::Config::EmbeddingScale::choices());
  f("source-embedding", o.source_embedding,
    "torch.nn.Transformer: name of the matrix of source embeddings; default: found by name", AnyValue{});
  f("target-embedding", o.target_embedding, "the same for the target embeddings", AnyValue{});
  f("generator", o.generator, "the same for the matrix before the softmax", AnyValue{});
  f("source-language", o.source_language,
    "M2M-100, NLLB-200, mBART-50: language of the sources, en, eng_Latn, en_XX; default: from the files", AnyValue{});
  f("target-language", o.target_language, "the same for the translations", AnyValue{});
}

// config.resolve(), with errors reported as DataError naming the file.
void resolve(model::Config& config, const std::string& file);

// A kind of model: how to recognize and read its files. path: a file or a folder.
struct Kind {
  const char *name, *what;  // "hf-marian", "Hugging Face Marian: a folder with ..."
  bool (*recognizes)(const std::string& path);
  ForeignModel (*read)(const std::string& path, const ImportOptions& options);
  std::vector<std::string> options = {};  // options it reads, besides `from`
};
const std::vector<Kind>& kinds();

}  // namespace hexapla::convert
