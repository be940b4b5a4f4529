#include "model/config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_text.h"

namespace hexapla {
namespace {

void at_least(const char* option, int64_t value, int64_t least) {
  if (value < least) throw UsageError(cat("--", option, " is ", value, ", but must be at least ", least));
}
void probability(const char* option, double value) {
  if (!(value >= 0 && value < 1)) throw UsageError(cat("--", option, " is ", value, ", but must lie in [0, 1)"));
}
void one_of(const char* option, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  std::string list;
  for (const auto& c : choices) list += (list.empty() ? "" : ", ") + c;
  throw UsageError(cat("--", option, " is '", value, "', but must be one of: ", list));
}

// A double such as 1e300 must not be squeezed into an integer.
void read(const nlohmann::json& j, int64_t& value) {
  if (!j.is_number_integer()) throw UsageError(cat(json_text(j), " is not a whole number"));
  j.get_to(value);
}
template <class T>
void read(const nlohmann::json& j, T& value) {
  j.get_to(value);
}

int64_t head_width(const char* option, int64_t asked, const Config& c) {
  if (asked > 0) return asked;
  if (c.d_model % c.heads != 0)
    throw UsageError(cat("--dim-model ", c.d_model, " is not a multiple of --heads ", c.heads,
                         "; choose another number, ", "or give --dim-key and --dim-value"));
  at_least(option, asked, 0);
  return c.d_model / c.heads;
}

}  // namespace

void Config::resolve() {
  visit(*this, [](const char* name, const auto& value, const char*, const std::vector<std::string>& choices) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) one_of(name, value, choices);
  });
  at_least("enc-layers", enc_layers, 1);
  at_least("dec-layers", dec_layers, 1);
  at_least("dim-model", d_model, 1);
  at_least("dim-ff", d_ff, 1);
  at_least("heads", heads, 1);
  at_least("max-positions", max_positions, 1);
  probability("dropout", dropout);
  probability("attention-dropout", attention_dropout);
  probability("activation-dropout", activation_dropout);
  if (!(norm_eps > 0 && norm_eps <= 1))
    throw UsageError(cat("--norm-eps is ", norm_eps, ", but must be above 0 and at most 1"));
  d_k = head_width("dim-key", d_k, *this);
  d_v = head_width("dim-value", d_v, *this);
  if (tied == "all" && source_vocab != target_vocab)
    throw UsageError(cat("--tied all needs one vocabulary, but the source has ", source_vocab,
                         " pieces and the target ", target_vocab, "; use --tied decoder"));
}

const std::vector<std::string>& Config::preset_names() {
  static const std::vector<std::string> names{"tiny", "small", "base", "big"};
  return names;
}

Config Config::preset(const std::string& name) {
  one_of("preset", name, preset_names());
  Config c;
  if (name == "tiny") c.enc_layers = c.dec_layers = 4, c.d_model = 128, c.d_ff = 256, c.heads = 4;
  if (name == "small") c.d_ff = 1024, c.heads = 4;
  if (name == "big") c.d_model = 1024, c.d_ff = 4096, c.heads = 16, c.dropout = 0.3;
  return c;
}

std::string Config::to_json() const {
  nlohmann::ordered_json j;
  j["source-vocab"] = source_vocab;
  j["target-vocab"] = target_vocab;
  visit(*this, [&](const char* name, const auto& value, const char*, const auto&) { j[name] = value; });
  return json_text(j);
}

Config Config::from_json(const std::string& text, const std::string& file) {
  Config c;
  std::string key;
  try {
    const auto j = nlohmann::json::parse(text);
    read(j.at(key = "source-vocab"), c.source_vocab);
    read(j.at(key = "target-vocab"), c.target_vocab);
    visit(c, [&](const char* name, auto& value, const char*, const auto&) { read(j.at(key = name), value); });
    key.clear();
    c.resolve();
  } catch (const nlohmann::json::exception& e) {
    throw DataError(cat(file, ": the model's configuration is damaged at '", key, "': ", e.what()));
  } catch (const UsageError& e) {
    throw DataError(
        cat(file, ": the model's configuration is damaged", key.empty() ? "" : " at '" + key + "'", ": ", e.what()));
  }
  return c;
}

}  // namespace hexapla
