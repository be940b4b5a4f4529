#include "convert/kinds/hugging_face/names.h"

#include <algorithm>

#include "base/error.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/torch_shards.h"
#include "convert/kinds/layer_names.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

constexpr const char *kShared = "model.shared.weight", *kEncoderTable = "model.encoder.embed_tokens.weight",
                     *kDecoderTable = "model.decoder.embed_tokens.weight", *kOutput = "lm_head.weight",
                     *kBias = "final_logits_bias";

NormNames norm_of(const std::string& prefix) { return {prefix + ".weight", prefix + ".bias"}; }

LinearNames projections(const std::string& prefix, const std::vector<std::string>& which) {
  std::vector<std::string> names;
  for (const std::string& one : which) names.push_back(cat(prefix, ".", one, "_proj"));
  return linear_names(names, true);
}

AttentionNames attention_of(const std::string& prefix, const std::string& norm, bool cross) {
  return {.into = projections(prefix, cross ? std::vector<std::string>{"q"} : std::vector<std::string>{"q", "k", "v"}),
          .of_memory = cross ? projections(prefix, {"k", "v"}) : LinearNames{},
          .output = projections(prefix, {"out"}),
          .norm = norm_of(norm)};
}

FeedForwardNames feed_forward_of(const std::string& layer) {
  return {.inner = linear_names({layer + ".fc1"}, true),
          .linear = {},
          .outer = linear_names({layer + ".fc2"}, true),
          .norm = norm_of(layer + ".final_layer_norm")};
}

void add_hugging_face_layers(const model::Config& c, WeightNames& names) {
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat("model.encoder.layers.", i);
    names.encoder_layer(i, attention_of(layer + ".self_attn", layer + ".self_attn_layer_norm", false),
                        feed_forward_of(layer));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat("model.decoder.layers.", i);
    names.decoder_layer(i, attention_of(layer + ".self_attn", layer + ".self_attn_layer_norm", false),
                        attention_of(layer + ".encoder_attn", layer + ".encoder_attn_layer_norm", true),
                        feed_forward_of(layer));
  }
}

}  // namespace

WeightMap hugging_face_weights(const model::Config& c, const HuggingFaceTables& tables) {
  WeightNames names;
  add_hugging_face_layers(c, names);
  for (const std::string side : {"encoder", "decoder"}) {
    const std::string foreign = "model." + side;
    if (c.embedding_norm) names.norm(side + ".input.norm", norm_of(foreign + ".layernorm_embedding"));
    if (c.norm_position == "pre") names.norm(side + ".last_norm", norm_of(foreign + ".layer_norm"));
    if (c.positions != "learned") names.ignore(foreign + ".embed_positions.weight");
  }
  names.table("embeddings.0.table", tables.source);
  if (c.tied != "all") names.table("embeddings.1.table", tables.target);
  if (c.tied == "none") names.linear("generator", {{{tables.output}}, {}});
  for (const char* name : {kShared, kEncoderTable, kDecoderTable, kOutput, kBias}) names.ignore(name);
  WeightMap map = names.take();
  if (c.generator_bias)
    map.origins["generator.bias"] =
        tables.bias ? Origin{{{kBias}}} : Origin{{{"", 0, static_cast<size_t>(c.target_vocab)}}};
  if (c.positions == "learned")
    for (const std::string side : {"encoder", "decoder"})
      map.origins[side + ".input.positions.table"] = {{{cat("model.", side, ".embed_positions.weight"),
                                                        kFirstLearnedPosition, static_cast<size_t>(c.max_positions)}}};
  return map;
}

bool same_numbers(const ForeignTensors& tensors, const ForeignTensor& a, const ForeignTensor& b) {
  constexpr size_t some = size_t{1} << 20;
  if (a.shape != b.shape) return false;
  for (size_t first = 0; first < a.count(); first += some) {
    const size_t count = std::min(some, a.count() - first);
    if (tensors.read_part(a, first, count) != tensors.read_part(b, first, count)) return false;
  }
  return true;
}

std::string first_tensor_of(const ForeignTensors& tensors, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (tensors.find(name)) return name;
  return tensors.get(names.front()).name;  // throws
}

HuggingFaceTables hugging_face_tables(const model::Config& c, const ForeignTensors& tensors, bool shared) {
  std::vector<std::string> of_source{kEncoderTable}, of_target{kDecoderTable};
  if (c.tied == "all") of_source = of_target = {kShared, kEncoderTable, kDecoderTable, kOutput};
  if (c.tied == "decoder") of_target.push_back(kOutput);
  if (c.tied == "none" && shared) {
    of_source.push_back(kShared);
    of_target.push_back(kShared);
  }
  HuggingFaceTables tables{first_tensor_of(tensors, of_source), first_tensor_of(tensors, of_target), "",
                           tensors.find(kBias) != nullptr};
  if (c.tied == "none") tables.output = kOutput;
  return tables;
}

std::string check_other_tables(const model::Config& c, const HuggingFaceTables& tables, const ForeignTensors& tensors) {
  const std::pair<const char*, std::string> all[] = {{kShared, tables.source},
                                                     {kEncoderTable, tables.source},
                                                     {kDecoderTable, tables.target},
                                                     {kOutput, tables.target}};
  std::string note;
  for (const auto& [name, used] : all) {
    const ForeignTensor* other = tensors.find(name);
    if (!other || name == tables.source || name == tables.target || name == tables.output) continue;
    if (name == std::string(kShared) && c.tied != "all")
      note = cat(tensors.path(), ": the tensor ", other->text(), " is not read, for transformers does not compute ",
                 "with it where the tables are not tied");
    else if (!same_numbers(tensors, *other, tensors.get(used)))
      throw DataError(cat(tensors.path(), ": the tensors ", other->text(), " and ", tensors.get(used).text(),
                          " are one table as config.json has it ('tie_word_embeddings' is true), but they differ; if ",
                          "the model has several, set 'tie_word_embeddings' to false"));
  }
  return note;
}

std::shared_ptr<const ForeignTensors> open_hugging_face_weights(const std::string& folder) {
  for (const char* name : {"/model.safetensors", "/model.safetensors.index.json"})
    if (is_file(folder + name)) return std::make_shared<SafetensorsModel>(folder + name);
  if (is_file(folder + "/pytorch_model.bin")) return std::make_shared<TorchFile>(folder + "/pytorch_model.bin");
  const std::string index = folder + "/pytorch_model.bin.index.json";
  if (is_file(index)) return std::make_shared<TorchShards>(index);
  throw DataError(cat(folder, ": there is no model.safetensors, no pytorch_model.bin, and no index of several ",
                      "(model.safetensors.index.json, pytorch_model.bin.index.json); the folder is incomplete"));
}

}  // namespace hexapla::convert
