#include "convert/kinds/hugging_face/configuration.h"

#include <algorithm>

#include "base/error.h"
#include "convert/foreign/feed_forwards.h"
#include "convert/kinds/hugging_face/generation.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

// Keys read here or by the kinds.
const char* const kRead[] = {"activation_dropout",
                             "activation_function",
                             "attention_dropout",
                             "d_model",
                             "decoder_attention_heads",
                             "decoder_ffn_dim",
                             "decoder_layers",
                             "decoder_vocab_size",
                             "dropout",
                             "encoder_attention_heads",
                             "encoder_ffn_dim",
                             "encoder_layers",
                             "force_bos_token_to_be_generated",
                             "hidden_size",
                             "model_type",
                             "num_attention_heads",
                             "num_hidden_layers",
                             "pad_token_id",
                             "scale_embedding",
                             "share_encoder_decoder_embeddings",
                             "tie_word_embeddings",
                             "tokenizer_class",
                             "vocab_size"};

const NeutralKey kNeutral[] = {
    {"add_cross_attention", {"false"}, ""}, {"auto_map", {}, "it names code of its own, which is not run"},
    {"chunk_size_feed_forward", {"0"}, ""}, {"cross_attention_hidden_size", {}, ""},
    {"is_decoder", {"false"}, ""},          {"is_encoder_decoder", {"true"}, ""},
    {"pruned_heads", {"{}"}, ""},           {"quantization_config", {}, "get the weights that were not quantized"},
    {"tie_encoder_decoder", {"false"}, ""},
};

const char *const kOfTraining = "of training alone", *const kOfClasses = "of models that sort texts into classes",
                  *const kFixed = "of an old version: in these models it is as it is whatever the key says";
const HarmlessKey kHarmless[] = {
    {"_attn_implementation_autoset", "how fast it is computed"},
    {"_name_or_path", "where the files came from"},
    {"_commit_hash", "where the files came from"},
    {"_num_labels", kOfClasses},
    {"add_bias_logits", kFixed},
    {"add_final_layer_norm", kFixed},
    {"architectures", "the class that saved it; 'model_type' says what is computed"},
    {"attn_implementation", "how fast it is computed"},
    {"_attn_implementation", "how fast it is computed"},
    {"classif_dropout", kOfClasses},
    {"classifier_dropout", kOfClasses},
    {"decoder_layerdrop", kOfTraining},
    {"dtype", "the tensors say it themselves"},
    {"encoder_layerdrop", kOfTraining},
    {"extra_pos_embeddings", kFixed},
    {"finetuning_task", "where the files came from"},
    {"gradient_checkpointing", kOfTraining},
    {"id2label", kOfClasses},
    {"init_std", kOfTraining},
    {"label2id", kOfClasses},
    {"layerdrop", kOfTraining},
    {"max_position_embeddings", "how many positions there are: the table says it, or they are computed"},
    {"normalize_before", kFixed},
    {"normalize_embedding", kFixed},
    {"num_labels", kOfClasses},
    {"output_past", "keeps what was computed: the same numbers"},
    {"prefix", "pipelines of a task read it, a model does not"},
    {"problem_type", kOfClasses},
    {"return_dict", "how results are shown"},
    {"save_step", kOfTraining},
    {"sep_token_id", "the tokenizer's files say it"},
    {"static_position_embeddings", kFixed},
    {"task_specific_params", "pipelines of a task read it, a model does not"},
    {"torch_dtype", "the tensors say it themselves"},
    {"torchscript", "how fast it is computed"},
    {"transformers_version", "who wrote the file"},
    {"use_bfloat16", "how fast it is computed elsewhere"},
    {"use_return_dict", "how results are shown"},
};

// Alternative names, of which transformers uses the last; rejected only if their values differ.
void check_second_names(const JsonFile& json) {
  const std::pair<const char*, const char*> all[] = {{"hidden_size", "d_model"},
                                                     {"num_attention_heads", "encoder_attention_heads"},
                                                     {"num_hidden_layers", "encoder_layers"}};
  for (const auto& [second, first] : all)
    if (json.has(second) && json.value(second) != json.value(first))
      json.refuse(second, cat("the value of '", first, "', of which it is a second name"));
}

model::Config::Activation activation_in(const JsonFile& json, const std::string& otherwise) {
  const std::string name = json.word("activation_function", otherwise);
  if (name == "relu") return "relu";
  if (name == "gelu") return "gelu";
  if (name == "swish" || name == "silu") return "swish";
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return "gelu-tanh";
  json.refuse("activation_function", "relu, gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, swish or silu");
}

constexpr const char* kInnerWidths[] = {"encoder_ffn_dim", "decoder_ffn_dim"};

}  // namespace

void check_neutral(const JsonFile& json, std::span<const NeutralKey> keys) {
  for (const NeutralKey& one : keys) {
    const nlohmann::json& found = json.value(one.key);
    const auto same = [&](const char* value) { return found == parse_json(value, "an allowed value"); };
    if (found.is_null() || std::any_of(one.values.begin(), one.values.end(), same)) continue;
    std::string allowed = "null";
    for (const char* value : one.values) allowed += cat(" or ", value);
    json.refuse(one.key, cat(allowed, *one.hint ? ": " : "", one.hint, ", for nothing here does what it asks for"));
  }
}

void check_configuration_keys(const JsonFile& json, const std::vector<std::string>& own) {
  for (const std::string& key : json.keys())
    if (json.has(key) && !has_key(own, key) && !has_key(kRead, key) && !has_key(kNeutral, key) &&
        !has_key(kHarmless, key) && !is_generation_key(key))
      json.refuse_unknown(key);
  check_neutral(json, kNeutral);
  check_second_names(json);
}

std::string tokenizer_class_of(const std::string& folder, const JsonFile& config) {
  const std::string path = folder + "/tokenizer_config.json", name = config.word("tokenizer_class", "");
  return is_file(path) ? JsonFile(path).word("tokenizer_class", name) : name;
}

void check_tokenizer(const std::string& folder, const JsonFile& config, const std::vector<std::string>& allowed,
                     const std::string& kind) {
  const std::string path = folder + "/tokenizer_config.json";
  const auto check = [&](const JsonFile& json, const std::string& name) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) return;
    std::string all;
    for (const std::string& one : allowed) all += one.empty() ? "" : cat(all.empty() ? "" : ", ", one);
    json.refuse("tokenizer_class",
                cat(all, ": as ", kind, " the model would read other tokens than it was trained on"));
  };
  const std::string first = config.word("tokenizer_class", "");
  if (!first.empty()) check(config, first);
  if (!is_file(path)) {
    if (first.empty()) check(config, "");
    return;
  }
  const JsonFile own(path);
  const std::string name = own.word("tokenizer_class", "");
  if (!name.empty() || first.empty()) check(own, name);
}

int64_t same_on_both_sides(const JsonFile& json, const std::string& encoder, const std::string& decoder,
                           const Range<int64_t>& allowed) {
  const int64_t value = json.whole(encoder, allowed);
  if (json.whole(decoder, allowed) != value)
    json.refuse(decoder, cat(value, ", the value of '", encoder, "': models whose sides differ cannot be imported"));
  return value;
}

model::Config hugging_face_config(const JsonFile& json, const std::string& activation) {
  const Range<int64_t> width{1, 1 << 16}, inner{1, 1 << 20}, heads{1, 1 << 12};
  model::Config c;
  c.enc_layers = json.whole("encoder_layers", model::Config::kLayers);
  c.dec_layers = json.whole("decoder_layers", model::Config::kLayers);
  c.d_model = json.whole("d_model", width);
  c.d_ff = std::max(json.whole(kInnerWidths[0], inner), json.whole(kInnerWidths[1], inner));
  c.heads = same_on_both_sides(json, "encoder_attention_heads", "decoder_attention_heads", heads);
  c.dropout = json.number("dropout", ranges::kBelow1, 0.1);
  c.attention_dropout = json.number("attention_dropout", ranges::kBelow1, 0);
  c.activation_dropout = json.number("activation_dropout", ranges::kBelow1, 0);
  c.activation = activation_in(json, activation);
  c.attention_bias = true;
  c.norm_eps = 1e-5;
  return c;
}

void widen_feed_forwards(ForeignModel& m, const JsonFile& json) {
  const Range<int64_t> width{1, m.config.d_ff};
  widen_feed_forwards(m, {json.whole(kInnerWidths[0], width), json.whole(kInnerWidths[1], width)}, json.path());
}

}  // namespace hexapla::convert
