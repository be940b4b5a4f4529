#include "convert/kinds/torch_layouts.h"

#include <algorithm>
#include <cmath>

namespace hexapla::convert {
namespace {

using model::Config;

int64_t extent(const ForeignTensors& tensors, const std::string& name, size_t i) {
  const ForeignTensor& t = tensors.get(name);
  if (i >= t.shape.size())
    throw DataError(cat(tensors.path(), ": the tensor ", t.text(), " should have ", i + 1, " extents"));
  return static_cast<int64_t>(t.shape[i]);
}

// The number of layers: counts tensors before0after, before1after, ...
int64_t layers(const ForeignTensors& tensors, const std::string& before, const std::string& after) {
  int64_t n = 0;
  while (n < Config::kLayers.most && tensors.find(cat(before, n, after))) ++n;
  return n;
}

NormNames norm_at(const std::string& prefix) { return {prefix + ".weight", prefix + ".bias"}; }

// Names one norm per stack: ours is encoder.last_norm, theirs is what `norm_of` returns for
// <p>encoder.norm.
template <class F>
void norm_of_both(WeightNames& names, const char* ours, const std::string& p, const char* theirs, F&& norm_of) {
  for (const char* side : {"encoder", "decoder"}) names.norm(cat(side, ours), norm_of(cat(p, side, theirs)));
}

// No file records these two, and a wrong guess would change the results.
[[noreturn]] void refuse_unknown(const ForeignTensors& t, const std::string& option, const std::string& argument) {
  throw UsageError(cat("`", option, "` is missing: ", t.path(), " does not say its torch.nn.Transformer's ", argument),
                   option, "");
}

// torch.nn.Transformer: queries, keys and values are one matrix in_proj. A norm follows each stack;
// whether the other norms come before or after their sublayers cannot be seen in the names.
void configure_torch(const ForeignTensors& t, const std::string& p, const ImportOptions& options, Config& c) {
  c.enc_layers = layers(t, p + "encoder.layers.", ".linear1.weight");
  c.dec_layers = layers(t, p + "decoder.layers.", ".linear1.weight");
  c.d_ff = extent(t, p + "encoder.layers.0.linear1.weight", 0);
  c.d_model = extent(t, p + "encoder.layers.0.linear1.weight", 1);
  c.attention_bias = t.find(p + "encoder.layers.0.self_attn.in_proj_bias") != nullptr;
  if (!options.norm_position.empty()) c.norm_position = c.norm_position.parse("norm-position", options.norm_position);
  if (c.norm_position == "post" && t.find(p + "encoder.norm.weight")) c.norm_position = "post-last";
  if (options.activation.empty()) refuse_unknown(t, "activation", "activation (PyTorch's default is relu)");
  if (options.norm_eps <= 0) refuse_unknown(t, "norm-eps", "layer_norm_eps (PyTorch's default is 1e-5)");
  c.activation = c.activation.parse("activation", options.activation);
  c.norm_eps = options.norm_eps;
}

AttentionNames torch_attention(const std::string& p, const NormNames& norm, bool cross, const Config& c) {
  const auto d = static_cast<size_t>(c.d_model);
  const auto rows = [&](size_t first, size_t n) {
    LinearNames names{{{p + ".in_proj_weight", first, n}}, {}};
    if (c.attention_bias) names.biases.push_back({p + ".in_proj_bias", first, n});
    return names;
  };
  return {.into = rows(0, cross ? d : 3 * d),
          .of_memory = cross ? rows(d, 2 * d) : LinearNames{},
          .output = linear_names({p + ".out_proj"}, c.attention_bias),
          .norm = norm};
}

void name_torch_stacks(AdjustedTensors&, const std::string& p, const Config& c, WeightNames& names) {
  const auto feed_forward = [](const std::string& layer, const char* norm) {
    return FeedForwardNames{
        linear_names({layer + ".linear1"}, true), {}, linear_names({layer + ".linear2"}, true), norm_at(layer + norm)};
  };
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat(p, "encoder.layers.", i);
    names.encoder_layer(i, torch_attention(layer + ".self_attn", norm_at(layer + ".norm1"), false, c),
                        feed_forward(layer, ".norm2"));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat(p, "decoder.layers.", i);
    names.decoder_layer(i, torch_attention(layer + ".self_attn", norm_at(layer + ".norm1"), false, c),
                        torch_attention(layer + ".multihead_attn", norm_at(layer + ".norm2"), true, c),
                        feed_forward(layer, ".norm3"));
  }
  if (c.has_last_norm()) norm_of_both(names, ".last_norm", p, ".norm", norm_at);
}

bool any_of(const std::string& text, const std::vector<std::string>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != std::string::npos; });
}

// Embeddings and generator are the user's own modules: matrices outside the stacks that are as wide
// as the model.
Surroundings around_torch(const ForeignTensors& t, const std::string& p) {
  const int64_t d = extent(t, p + "encoder.layers.0.linear1.weight", 1);
  Surroundings found;
  for (const ForeignTensor& tensor : t.list()) {
    const std::string& name = tensor.name;
    if (name.starts_with(p + "encoder.") || name.starts_with(p + "decoder.")) continue;
    const bool table = tensor.shape.size() == 2 && static_cast<int64_t>(tensor.shape[1]) == d;
    const bool positions = any_of(name, {"pos", ".pe"});
    if (positions && found.source_positions.empty()) found.source_positions = name;
    if (positions) found.target_positions = name;
    if (!table || positions) continue;
    if (any_of(name, {"src", "source", "enc"}))
      found.source = name;
    else if (any_of(name, {"tgt", "trg", "target", "dec"}))
      found.target = name;
    else if (any_of(name, {"generator", "out", "proj", "fc", "lm_head", "linear"}))
      found.generator = name;
    else if (any_of(name, {"emb", "shared"}))
      found.source = found.target = name;
  }
  if (found.generator.ends_with(".weight")) {
    const std::string bias = found.generator.substr(0, found.generator.size() - 6) + "bias";
    if (t.find(bias)) found.bias = bias;
  }
  return found;
}

// The Annotated Transformer: pre-norm with its own kind of norm.
void configure_annotated(const ForeignTensors& t, const std::string& p, const ImportOptions&, Config& c) {
  c.enc_layers = layers(t, p + "encoder.layers.", ".feed_forward.w_1.weight");
  c.dec_layers = layers(t, p + "decoder.layers.", ".feed_forward.w_1.weight");
  c.d_ff = extent(t, p + "encoder.layers.0.feed_forward.w_1.weight", 0);
  c.d_model = extent(t, p + "encoder.layers.0.feed_forward.w_1.weight", 1);
  c.attention_bias = true;
  c.norm_position = "pre";
  c.norm_eps = 1e-12;
}

// Its LayerNorm is a (x - mean) / (s + 1e-6) + b with the unbiased deviation s = sqrt(d / (d - 1))
// sigma. So its a becomes a sqrt((d - 1) / d); adding 1e-6 to s changes less than a millionth if s
// is about 1.
NormNames annotated_norm(AdjustedTensors& t, const std::string& p, const Config& c) {
  const auto d = static_cast<double>(c.d_model);
  t.scale(p + ".a_2", std::sqrt((d - 1) / d), p + ".a_2");
  return {p + ".a_2", p + ".b_2"};
}

AttentionNames annotated_attention(const std::string& p, const NormNames& norm, bool cross) {
  const auto linears = [&](const std::vector<int>& numbers) {
    std::vector<std::string> prefixes;
    for (const int i : numbers) prefixes.push_back(cat(p, ".linears.", i));
    return linear_names(prefixes, true);
  };
  return {.into = cross ? linears({0}) : linears({0, 1, 2}),
          .of_memory = cross ? linears({1, 2}) : LinearNames{},
          .output = linears({3}),
          .norm = norm};
}

void name_annotated_stacks(AdjustedTensors& t, const std::string& p, const Config& c, WeightNames& names) {
  const auto norm = [&](const std::string& layer, int i) {
    return annotated_norm(t, cat(layer, ".sublayer.", i, ".norm"), c);
  };
  const auto feed_forward = [&](const std::string& layer, int i) {
    return FeedForwardNames{linear_names({layer + ".feed_forward.w_1"}, true),
                            {},
                            linear_names({layer + ".feed_forward.w_2"}, true),
                            norm(layer, i)};
  };
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat(p, "encoder.layers.", i);
    names.encoder_layer(i, annotated_attention(layer + ".self_attn", norm(layer, 0), false), feed_forward(layer, 1));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat(p, "decoder.layers.", i);
    names.decoder_layer(i, annotated_attention(layer + ".self_attn", norm(layer, 0), false),
                        annotated_attention(layer + ".src_attn", norm(layer, 1), true), feed_forward(layer, 2));
  }
  norm_of_both(names, ".last_norm", p, ".norm",
               [&](const std::string& theirs) { return annotated_norm(t, theirs, c); });
}

Surroundings around_annotated(const ForeignTensors&, const std::string& p) {
  return {p + "src_embed.0.lut.weight", p + "tgt_embed.0.lut.weight", p + "generator.proj.weight",
          p + "generator.proj.bias",    p + "src_embed.1.pe",         p + "tgt_embed.1.pe"};
}

// jadore801120's: a norm after each sublayer and on the embedded input; no biases in attention.
void configure_jadore(const ForeignTensors& t, const std::string& p, const ImportOptions& options, Config& c) {
  const std::string first = p + "encoder.layer_stack.0.";
  c.enc_layers = layers(t, p + "encoder.layer_stack.", ".pos_ffn.w_1.weight");
  c.dec_layers = layers(t, p + "decoder.layer_stack.", ".pos_ffn.w_1.weight");
  c.d_ff = extent(t, first + "pos_ffn.w_1.weight", 0);
  c.d_model = extent(t, first + "pos_ffn.w_1.weight", 1);
  c.embedding_norm = true;
  c.norm_eps = 1e-6;
  if (options.heads > 0) {  // queries and values may be narrower than the model
    c.d_k = extent(t, first + "slf_attn.w_qs.weight", 0) / options.heads;
    c.d_v = extent(t, first + "slf_attn.w_vs.weight", 0) / options.heads;
  }
}

AttentionNames jadore_attention(const std::string& p, bool cross) {
  AttentionNames names{.into = linear_names({p + ".w_qs"}, false),
                       .of_memory = {},
                       .output = linear_names({p + ".fc"}, false),
                       .norm = norm_at(p + ".layer_norm")};
  LinearNames keys_and_values = linear_names({p + ".w_ks", p + ".w_vs"}, false);
  if (cross)
    names.of_memory = keys_and_values;
  else
    names.into = linear_names({p + ".w_qs", p + ".w_ks", p + ".w_vs"}, false);
  return names;
}

void name_jadore_stacks(AdjustedTensors& t, const std::string& p, const Config& c, WeightNames& names) {
  const bool notes = t.find(p + "decoder.layer_stack.0.cross_attn.w_qs.weight") != nullptr;
  const auto feed_forward = [](const std::string& layer) {
    const std::string ffn = layer + ".pos_ffn";
    return FeedForwardNames{
        linear_names({ffn + ".w_1"}, true), {}, linear_names({ffn + ".w_2"}, true), norm_at(ffn + ".layer_norm")};
  };
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat(p, "encoder.layer_stack.", i);
    names.encoder_layer(i, jadore_attention(layer + ".slf_attn", false), feed_forward(layer));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat(p, "decoder.layer_stack.", i);
    names.decoder_layer(i, jadore_attention(layer + (notes ? ".self_attn" : ".slf_attn"), false),
                        jadore_attention(layer + (notes ? ".cross_attn" : ".enc_attn"), true), feed_forward(layer));
  }
  norm_of_both(names, ".input.norm", p, ".layer_norm", norm_at);
}

Surroundings around_jadore(const ForeignTensors&, const std::string& p) {
  return {p + "encoder.src_word_emb.weight",    p + "decoder.trg_word_emb.weight",   p + "trg_word_prj.weight", "",
          p + "encoder.position_enc.pos_table", p + "decoder.position_enc.pos_table"};
}

// The notes leave InputEmbedding to the reader: takes its only table, whatever its name.
Surroundings around_notes(const ForeignTensors& t, const std::string& p) {
  Surroundings found{"", "", p + "generator.proj.weight", p + "generator.proj.bias"};
  for (const ForeignTensor& tensor : t.list()) {
    const std::string& name = tensor.name;
    const bool source = name.starts_with(p + "src_embed_pos."), target = name.starts_with(p + "tgt_embed_pos.");
    if (!source && !target) continue;
    const bool positions = name.starts_with(p + (source ? "src_embed_pos.1." : "tgt_embed_pos.1."));
    (positions ? source ? found.source_positions : found.target_positions
     : source  ? found.source
               : found.target) = name;
  }
  return found;
}

// bentrevett's tutorial, which many courses follow: post-norm, learned positions.
void configure_tutorial(const ForeignTensors& t, const std::string& p, const ImportOptions&, Config& c) {
  c.enc_layers = layers(t, p + "encoder.layers.", ".positionwise_feedforward.fc_1.weight");
  c.dec_layers = layers(t, p + "decoder.layers.", ".positionwise_feedforward.fc_1.weight");
  c.d_ff = extent(t, p + "encoder.layers.0.positionwise_feedforward.fc_1.weight", 0);
  c.d_model = extent(t, p + "encoder.layers.0.positionwise_feedforward.fc_1.weight", 1);
  c.attention_bias = true;
  c.norm_eps = 1e-5;
}

AttentionNames tutorial_attention(const std::string& p, const std::string& norm, bool cross) {
  const auto linears = [&](const std::vector<std::string>& which) {
    std::vector<std::string> prefixes;
    for (const std::string& one : which) prefixes.push_back(cat(p, ".fc_", one));
    return linear_names(prefixes, true);
  };
  return {.into = cross ? linears({"q"}) : linears({"q", "k", "v"}),
          .of_memory = cross ? linears({"k", "v"}) : LinearNames{},
          .output = linears({"o"}),
          .norm = norm_at(norm)};
}

void name_tutorial_stacks(AdjustedTensors&, const std::string& p, const Config& c, WeightNames& names) {
  const auto feed_forward = [](const std::string& layer) {
    const std::string ffn = layer + ".positionwise_feedforward";
    return FeedForwardNames{linear_names({ffn + ".fc_1"}, true),
                            {},
                            linear_names({ffn + ".fc_2"}, true),
                            norm_at(layer + ".ff_layer_norm")};
  };
  const auto self = [](const std::string& layer) {
    return tutorial_attention(layer + ".self_attention", layer + ".self_attn_layer_norm", false);
  };
  for (int64_t i = 0; i < c.enc_layers; ++i) {
    const std::string layer = cat(p, "encoder.layers.", i);
    names.encoder_layer(i, self(layer), feed_forward(layer));
  }
  for (int64_t i = 0; i < c.dec_layers; ++i) {
    const std::string layer = cat(p, "decoder.layers.", i);
    names.decoder_layer(i, self(layer),
                        tutorial_attention(layer + ".encoder_attention", layer + ".enc_attn_layer_norm", true),
                        feed_forward(layer));
  }
}

Surroundings around_tutorial(const ForeignTensors&, const std::string& p) {
  return {p + "encoder.tok_embedding.weight", p + "decoder.tok_embedding.weight", p + "decoder.fc_out.weight",
          p + "decoder.fc_out.bias",          p + "encoder.pos_embedding.weight", p + "decoder.pos_embedding.weight"};
}

}  // namespace

const std::vector<TorchLayout>& torch_layouts() {
  static const std::vector<TorchLayout> all{
      {"torch-transformer", "torch.nn.Transformer", "decoder.layers.0.multihead_attn.in_proj_weight", configure_torch,
       around_torch, name_torch_stacks, false, false},
      {"annotated-transformer", "The Annotated Transformer", "decoder.layers.0.src_attn.linears.0.weight",
       configure_annotated, around_annotated, name_annotated_stacks},
      {"jadore", "attention-is-all-you-need-pytorch", "decoder.layer_stack.0.enc_attn.w_qs.weight", configure_jadore,
       around_jadore, name_jadore_stacks},
      {"notes", "modules after attention-is-all-you-need-pytorch", "decoder.layer_stack.0.cross_attn.w_qs.weight",
       configure_jadore, around_notes, name_jadore_stacks},
      {"tutorial", "modules after pytorch-seq2seq", "decoder.layers.0.encoder_attention.fc_q.weight",
       configure_tutorial, around_tutorial, name_tutorial_stacks, true},
  };
  return all;
}

}  // namespace hexapla::convert
