#include "convert/kinds/toolkits/opennmt_py.h"

#include "base/error.h"
#include "convert/containers/safetensors_model.h"
#include "convert/kinds/layer_names.h"
#include "convert/kinds/toolkits/recorded_options.h"
#include "convert/kinds/toolkits/words.h"
#include "convert/parsing/limits.h"
#include "convert/texts/bpe_codes.h"

namespace hexapla::convert {
namespace {

using model::Config;

// Where the weights are: below "model." and "generator." of the checkpoint, or in another file
// without "model.".
struct StoredWeights {
  std::shared_ptr<const ForeignTensors> tensors;
  std::string model;  // "model."
};

StoredWeights stored_weights(const std::shared_ptr<const TorchFile>& file) {
  const std::string beside = file->path().substr(0, file->path().rfind('.')) + ".safetensors";
  for (const ForeignTensor& t : file->list())
    if (t.name.starts_with("model.encoder.")) return {file, "model."};
  if (is_file(beside)) return {std::make_shared<SafetensorsModel>(beside), ""};
  return {file, "model."};
}

Config::Activation opennmt_activation(const RecordedOptions& o, bool& gated) {
  const std::string name = o.word("pos_ffn_activation_fn", "relu");
  gated = name == "silu" || name == "gated-gelu";
  if (name == "relu") return "relu";
  if (name == "gelu" || name == "gated-gelu") return "gelu";
  if (name == "silu") return "swish";
  o.refuse("pos_ffn_activation_fn", "relu, gelu, silu or gated-gelu");
}

void require(const RecordedOptions& o, const std::string& option, const std::vector<std::string>& allowed) {
  const std::string value = o.word(option, allowed.front());
  std::string all;
  for (const std::string& one : allowed) {
    if (value == one) return;
    all += (all.empty() ? "" : " or ") + one;
  }
  o.refuse(option, all);
}

void refuse_opennmt_parts(const RecordedOptions& o) {
  require(o, "model_task", {"seq2seq"});
  require(o, "model_type", {"text"});
  require(o, "encoder_type", {"transformer"});
  require(o, "decoder_type", {"transformer"});
  require(o, "self_attn_type", {"scaled-dot", "scaled-dot-flash"});
  require(o, "layer_norm", {"standard"});
  require(o, "generator_function", {"softmax"});
  for (const char* option :
       {"max_relative_positions", "relative_positions_buckets", "copy_attn", "parallel_residual", "num_kv",
        "sliding_window", "num_experts", "lora_layers", "lora_embedding", "quant_layers", "n_src_feats"})
    o.require_none(option);
}

// The width of both sides, under its new or old names.
int64_t width_of(const RecordedOptions& o) {
  int64_t width = 0;
  for (const char* name :
       {"enc_hid_size", "dec_hid_size", "enc_rnn_size", "dec_rnn_size", "src_word_vec_size", "tgt_word_vec_size"}) {
    if (!o.has(name)) continue;
    const int64_t own = o.whole(name, {1, 1 << 16});
    if (width > 0 && own != width) o.refuse(name, cat(width, ": the widths of a Transformer are one"));
    width = own;
  }
  return width > 0 ? width : o.whole("rnn_size", {1, 1 << 16});
}

Config opennmt_config(const RecordedOptions& o) {
  refuse_opennmt_parts(o);
  Config c;
  c.enc_layers = o.whole("enc_layers", Config::kLayers);
  c.dec_layers = o.whole("dec_layers", Config::kLayers);
  c.d_model = width_of(o);
  c.d_ff = o.whole("transformer_ff", {1, 1 << 20});
  c.heads = o.whole("heads", {1, 1 << 12});
  c.dropout = o.number("dropout", ranges::kBelow1, 0.1);
  c.attention_dropout = o.number("attention_dropout", ranges::kBelow1, 0);
  c.activation = opennmt_activation(o, c.gated);
  c.norm_position = "pre";
  c.norm_eps = o.number("norm_eps", {.least = 0, .most = 1, .open_least = true}, 1e-6);
  c.generator_bias = true;
  const bool positions = o.flag("position_encoding", false);
  const std::string kind = o.word("position_encoding_type", "SinusoidalInterleaved");
  if (positions && kind != "SinusoidalInterleaved" && kind != "SinusoidalConcat")
    o.refuse("position_encoding_type", "SinusoidalInterleaved or SinusoidalConcat");
  c.positions = !positions ? "none" : kind == "SinusoidalConcat" ? "timing-signal" : Config::Positions("sinusoidal");
  c.embedding_scale = positions ? "sqrt" : Config::EmbeddingScale("none");  // scaled only if positions are added
  const bool decoder = o.flag("share_decoder_embeddings", false);
  c.tied = !decoder ? "none" : o.flag("share_embeddings", false) ? "all" : Config::Tied("decoder");
  return c;
}

class OpenNmtNames {
 public:
  OpenNmtNames(const Config& c, const ForeignTensors& tensors, std::string prefix)
      : c_(c), tensors_(tensors), p_(std::move(prefix)) {}

  WeightMap map() {
    for (int64_t i = 0; i < c_.enc_layers; ++i) {
      const std::string layer = cat(p_, "encoder.transformer.", i);
      names_.encoder_layer(i, attention(layer + ".self_attn", layer + ".layer_norm", false), feed_forward(layer));
    }
    for (int64_t i = 0; i < c_.dec_layers; ++i) {
      const std::string layer = cat(p_, "decoder.transformer_layers.", i);
      names_.decoder_layer(i, attention(layer + ".self_attn", layer + ".layer_norm_1", false),
                           attention(layer + ".context_attn", layer + ".layer_norm_2", true), feed_forward(layer));
    }
    for (const std::string side : {"encoder", "decoder"}) {
      names_.norm(side + ".last_norm", norm(p_ + side + ".layer_norm"));
      names_.ignore(cat(p_, side, ".embeddings.make_embedding.pe.pe"));
      names_.ignore(table(side));
    }
    names_.table("embeddings.0.table", table("encoder"));
    if (c_.tied != "all") names_.table("embeddings.1.table", table("decoder"));
    const std::string generator = tensors_.find("generator.0.weight") ? "generator.0" : "generator";
    if (c_.tied == "none") names_.linear("generator", {{{generator + ".weight"}}, {}});
    names_.ignore(generator + ".weight");
    names_.vector("generator.bias", generator + ".bias");
    for (const ForeignTensor& t : tensors_.list())
      if (t.name.starts_with("optim.")) names_.ignore(t.name);
    return with_zeros(names_.take());
  }
  std::string table(const std::string& side) const {
    return cat(p_, side, ".embeddings.make_embedding.emb_luts.0.weight");
  }

 private:
  static NormNames norm(const std::string& prefix) { return {prefix + ".weight", prefix + ".bias"}; }
  AttentionNames attention(const std::string& p, const std::string& norm_name, bool cross) const {
    const auto linears = [&](const std::vector<std::string>& which) {
      std::vector<std::string> all;
      for (const std::string& one : which) all.push_back(cat(p, ".", one));
      return linear_names(all, c_.attention_bias);
    };
    const std::vector<std::string> all{"linear_query", "linear_keys", "linear_values"};
    return {.into = cross ? linears({all[0]}) : linears(all),
            .of_memory = cross ? linears({all[1], all[2]}) : LinearNames{},
            .output = linears({"final_linear"}),
            .norm = norm(norm_name)};
  }
  FeedForwardNames feed_forward(const std::string& layer) const {
    const std::string p = layer + ".feed_forward";
    return {.inner = linear_names({p + ".w_1"}, true),
            .linear = c_.gated ? linear_names({p + ".w_3"}, true) : LinearNames{},
            .outer = linear_names({p + ".w_2"}, true),
            .norm = norm(p + ".layer_norm")};
  }
  // Feed-forward networks without biases (add_ffnbias) get zeros; ours always have biases.
  WeightMap with_zeros(WeightMap map) const {
    for (auto& [name, origin] : map.origins) {
      if (!name.ends_with(".bias") || name.find(".feed_forward.") == name.npos || tensors_.find(origin.parts[0].tensor))
        continue;
      const bool outer = name.ends_with("outer.bias");
      origin.parts = {{"", 0, static_cast<size_t>(outer ? c_.d_model : c_.d_ff)}};
    }
    return map;
  }

  const Config& c_;
  const ForeignTensors& tensors_;
  std::string p_;
  WeightNames names_;
};

// Version 2's torchtext Field for a side: the first of a TextMultiField's fields, each preceded by
// its name. nullptr: version 3.
const PickleValue* field_of(const TorchFile& file, const std::string& which) {
  using Kind = PickleValue::Kind;
  const Pickle& values = file.values();
  const PickleValue* vocab = values.find(values[values.root()], "vocab");
  const PickleValue* side = vocab ? values.find(*vocab, which) : nullptr;
  if (!side || side->kind != Kind::object) return nullptr;
  const PickleValue* fields = values.find(*side, "fields");
  if (!fields || fields->kind != Kind::list || fields->items.size() != 1)
    throw DataError(cat(file.path(), ": 'vocab.", which, ".fields' is ",
                        fields && fields->kind == Kind::list ? cat("a list of ", fields->items.size()) : "no list",
                        "; allowed is one field, of tokens without features"));
  const PickleValue& pair = values[fields->items[0]];
  return pair.kind == Kind::list && pair.items.size() == 2 ? &values[pair.items[1]] : &pair;
}

TokenSide side_of_field(const TorchFile& file, const PickleValue* of_side, const std::string& which) {
  const std::string place = cat("vocab.", which);
  const RecordedOptions field(file, of_side, place);
  field.require_none("lower");
  const PickleValue* vocab = field.exist() ? file.values().find(*of_side, "vocab") : nullptr;
  TokenSide side{
      RecordedOptions(file, vocab, place + ".vocab").texts("itos"), {}, cat(file.path(), " ('", place, "')"), ""};
  // Sources have no start or end token, and their table may not contain them.
  const std::string padding = field.word("pad_token", "<blank>");
  side.names = {field.word("init_token", padding), field.word("eos_token", padding), field.word("unk_token", "<unk>"),
                padding};
  return side;
}

// A side of the vocabularies stored in the checkpoint.
TokenSide listed_side(const TorchFile& file, const std::string& which) {
  const RecordedOptions vocab(file, {"vocab"});
  vocab.require_none("src_feats");
  TokenSide side{vocab.texts(which), {}, cat(file.path(), " ('vocab.", which, "')"), ""};
  side.names = find_token_names(side.tokens, side.path);
  side.names.end = "</s>";
  side.names.start = which == "tgt" ? vocab.word("decoder_start_token", "<s>") : side.names.start;
  return side;
}

TokenSide opennmt_side(const TorchFile& file, const RecordedOptions& o, const std::string& which,
                       const std::string& asked) {
  const PickleValue* field = field_of(file, which);
  TokenSide side = field ? side_of_field(file, field, which) : listed_side(file, which);
  side.pieces = pieces_for(asked, folder_of(file.path()), {last_name(o.word(which + "_subword_model", ""))});
  const bool known = side.pieces.ends_with(".model") || side.pieces.ends_with(".spm");
  if (asked.empty() && !side.pieces.empty() && !known && !is_bpe_codes(side.pieces)) side.pieces.clear();
  side.open_ended = which == "src";
  return side;
}

}  // namespace

bool is_opennmt_py(const std::string& path) {
  if (!path.ends_with(".pt") || !is_file(path) || !TorchFile::is_one(path)) return false;
  const TorchFile file(path);
  return RecordedOptions(file, {"opt"}).exist() && RecordedOptions(file, {"vocab"}).exist();
}

ForeignModel read_opennmt_py(const std::string& path, const ImportOptions& options) {
  const auto file = std::make_shared<TorchFile>(path);
  const RecordedOptions o(*file, {"opt"});
  if (!o.exist() || !RecordedOptions(*file, {"vocab"}).exist())
    throw DataError(cat(path,
                        ": it records no options ('opt') or no vocabularies ('vocab'), as checkpoints of "
                        "OpenNMT-py do"));
  const StoredWeights weights = stored_weights(file);
  ForeignModel m{.origin = "OpenNMT-py", .config = opennmt_config(o)};
  const std::string first = weights.model + "encoder.transformer.0.self_attn.final_linear.bias";
  m.config.attention_bias = weights.tensors->find(first) != nullptr;  // optional since version 3
  OpenNmtNames names(m.config, *weights.tensors, weights.model);
  m.config.source_vocab = table_rows(*weights.tensors, names.table("encoder"));
  m.config.target_vocab = table_rows(*weights.tensors, names.table("decoder"));
  resolve(m.config, path);
  m.weights = names.map();
  m.tensors = weights.tensors;
  check(m.weights, m.config, *m.tensors);  // checks the vocabulary sizes against the tensors
  put_words(m, opennmt_side(*file, o, "src", options.source_spm),
            opennmt_side(*file, o, "tgt", options.target_spm.empty() ? options.source_spm : options.target_spm));
  m.text.usage.search = {
      {"beam-size", "5"}, {"length-penalty", "1"}, {"length-normalization", "power"}, {"longest", "250"}};
  m.notes.push_back(
      "OpenNMT-py ends a search when its best translation ends, and counts <s> where it divides a score by "
      "the length; hexapla searches as it does with any model");
  return m;
}

}  // namespace hexapla::convert
