#include "model/config.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/options/given_json.h"

namespace hexapla::model {
namespace {

// Refuses a double such as 1e300, which must not be converted to an integer.
void read(const nlohmann::json& j, int64_t& value) {
  if (!j.is_number_integer()) throw UsageError(cat(json_text(j), " is not a whole number"));
  j.get_to(value);
}
template <class T>
void read(const nlohmann::json& j, T& value) {
  value = recorded<T>(j);
}

int64_t head_width(int64_t asked, const Config& c) {
  if (asked > 0) return asked;
  if (c.d_model % c.heads != 0)
    throw UsageError(cat("`dim-model` ", c.d_model, " is not a multiple of `heads` ", c.heads,
                         "; choose another number, ", "or give `dim-key` and `dim-value`"));
  return c.d_model / c.heads;
}

void check_encoder(const Config& c) {
  if (c.encoder_mixing == "gru" && c.d_model % 2 != 0)
    throw UsageError(cat("`encoder-mixing` gru has half of `dim-model` for each direction, but ", c.d_model,
                         " is odd; choose an even number"));
  if (c.kernel_width % 2 == 0)
    throw UsageError(
        cat("`kernel-width` ", c.kernel_width, " is even, but the kernel is centered, so its width must be odd"));
}

void check_decoder(const Config& c) {
  if (c.decoder_mixing != "attention" && c.decoder_mask != "causal")
    throw UsageError(cat("`decoder-mask` ", c.decoder_mask, " is for attention, but `decoder-mixing` is ",
                         c.decoder_mixing, "; leave one of them out"));
}

void check_experts(const Config& c) {
  if (c.experts == 0) return;
  if (c.experts_per_token > c.experts)
    throw UsageError(cat("`experts-per-token` ", c.experts_per_token, " is more than the ", c.experts,
                         " of `experts`; raise `experts`, or lower `experts-per-token`"));
  if (c.gated)
    throw UsageError(cat("`experts` ", c.experts, " are not gated networks; leave `gated` or `experts` out"));
}

void check_positions(const Config& c) {
  const bool sinusoids = c.positions != "learned" && c.positions != "none";
  if (c.first_position > 0 && !sinusoids)
    throw UsageError(cat("`first-position` ", c.first_position, " is for sinusoids, but `positions` is ", c.positions,
                         "; leave one of them out"));
  if (c.positions == "timing-signal" && c.d_model % 2 != 0)
    throw UsageError(cat("`positions` timing-signal has a sine and a cosine for each half of `dim-model`, but ",
                         c.d_model, " is odd; choose an even number"));
}

// Fields that older files do not have.
bool came_later(std::string_view name) {
  constexpr std::string_view later[] = {"encoder-mixing",    "kernel-width",    "decoder-mask",    "experts",
                                        "experts-per-token", "dim-expert",      "expert-capacity", "load-balancing",
                                        "first-position",    "embedding-scale", "decoder-mixing"};
  return std::find(std::begin(later), std::end(later), name) != std::end(later);
}

// Empties an object before its destructor runs, because the destructor allocates memory for the
// members and ends the program if there is none.
struct Emptied {
  nlohmann::json& object;
  ~Emptied() {
    if (object.is_object()) object.get_ref<nlohmann::json::object_t&>().clear();
  }
};

nlohmann::ordered_json fields_of(const Config& c) {
  nlohmann::ordered_json j;
  Config::visit(c, [&](const char* name, const auto& value, const auto&...) { j[name] = value; });
  return j;
}

}  // namespace

bool Config::of_training_alone(const std::string& name) {
  return name.find("dropout") != std::string::npos || name == "expert-capacity" || name == "load-balancing";
}

void Config::resolve() {
  visit(*this, [](const char* name, const auto& value, const char*, const auto& allowed, const When&) {
    check_allowed(name, value, allowed);
  });
  d_k = head_width(d_k, *this);
  d_v = head_width(d_v, *this);
  if (!softmax() && attention_dropout > 0)
    throw UsageError(cat("`score` ", score, " has no `attention-dropout`, which is ", attention_dropout,
                         "; set it to 0, or choose another score"));
  check_encoder(*this);
  check_decoder(*this);
  check_positions(*this);
  check_experts(*this);
  if (tied == "all" && source_vocab != target_vocab)
    throw UsageError(cat("`tied` all needs one vocabulary, but the source has ", source_vocab,
                         " pieces and the target ", target_vocab, "; use `tied` decoder"));
}

const std::vector<std::string>& Config::preset_names() {
  static const std::vector<std::string> names{"tiny", "small", "base", "big"};
  return names;
}

Config Config::preset(const std::string& name) {
  check_choice(preset_names(), "preset", name);
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
  const nlohmann::ordered_json fields = fields_of(*this), usual = fields_of({});
  for (const auto& [name, value] : fields.items())
    if (!came_later(name) || value != usual.at(name)) j[name] = value;
  return json_text(j);
}

Config Config::from_json(const std::string& text, const std::string& file) {
  Config c;
  std::string key;
  try {
    auto j = parse_json(text, cat(file, ": the model's configuration"));
    const Emptied at_the_end{j};
    read(j.at(key = "source-vocab"), c.source_vocab);
    read(j.at(key = "target-vocab"), c.target_vocab);
    visit(c, [&](const char* name, auto& value, const auto&...) {
      if (!came_later(name) || j.contains(name)) read(j.at(key = name), value);
    });
    key.clear();
    kVocabulary.check("source-vocab", c.source_vocab);
    kVocabulary.check("target-vocab", c.target_vocab);
    c.resolve();
  } catch (const nlohmann::json::exception& e) {
    throw DataError(cat(file, ": the model's configuration is damaged at '", key, "': ", e.what()));
  } catch (const UsageError& e) {
    std::string what = e.what();
    std::erase(what, '`');  // here it is a field, not an option
    throw DataError(
        cat(file, ": the model's configuration is damaged", key.empty() ? "" : " at '" + key + "'", ": ", what));
  }
  return c;
}

}  // namespace hexapla::model
