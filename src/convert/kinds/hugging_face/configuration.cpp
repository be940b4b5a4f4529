#include "convert/kinds/hugging_face/configuration.h"

#include <algorithm>

#include "base/error.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

std::string activation_of(const JsonFile& json, const std::string& otherwise) {
  const std::string name = json.word("activation_function", otherwise);
  if (name == "relu" || name == "gelu") return name;
  if (name == "swish" || name == "silu") return "swish";
  if (name == "gelu_new" || name == "gelu_pytorch_tanh" || name == "gelu_fast") return "gelu-tanh";
  json.refuse("activation_function", "relu, gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, swish or silu");
}

}  // namespace

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
  c.d_ff = same_on_both_sides(json, "encoder_ffn_dim", "decoder_ffn_dim", inner);
  c.heads = same_on_both_sides(json, "encoder_attention_heads", "decoder_attention_heads", heads);
  c.dropout = json.number("dropout", ranges::below_1, 0.1);
  c.attention_dropout = json.number("attention_dropout", ranges::below_1, 0);
  c.activation_dropout = json.number("activation_dropout", ranges::below_1, 0);
  c.activation = activation_of(json, activation);
  c.attention_bias = true;
  c.norm_eps = 1e-5;
  return c;
}

std::map<std::string, std::string> hugging_face_search(const JsonFile& json) {
  std::map<std::string, std::string> search;
  search["beam-size"] = cat(json.whole("num_beams", ranges::beam, 1));
  search["length-penalty"] = cat(json.number("length_penalty", {-100, 100}, 1));
  search["length-normalization"] = "power";
  // The start token is counted there, and where it is forced </s>, which no translation counts here.
  const int64_t uncounted = json.has("forced_eos_token_id") ? 2 : 1;
  if (json.has("max_length"))
    search["longest"] = cat(std::max<int64_t>(json.whole("max_length", {2, 1'000'000}) - uncounted, 1));
  if (const int64_t n = json.whole("no_repeat_ngram_size", {0, 1'000'000}, 0); n > 0)
    search["no-repeat-ngram"] = cat(n);
  const nlohmann::json& early = json.value("early_stopping");
  if (!early.is_null() && !early.is_boolean() && early != "never")
    json.refuse("early_stopping", "true, false or never");
  search["stop-when"] = early == true ? "full" : "outscored";
  return search;
}

JsonFile generation_in(const std::string& folder) {
  const std::string own = folder + "/generation_config.json";
  return JsonFile(is_file(own) ? own : folder + "/config.json");
}

}  // namespace hexapla::convert
