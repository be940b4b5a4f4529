#include "train/identity.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "train/schedule.h"

namespace hexapla {

namespace {

constexpr const char* vocabulary_key = "vocabulary";

std::string hash_of_vocabularies(const TrainingPairs& pairs) {
  Hash both;
  for (const Vocabulary* side : {&pairs.source, &pairs.target}) both.add(cat(side->bytes().size(), " ", side->bytes()));
  return both.hex();
}

}  // namespace

std::string identity_of(const TrainOptions& o, const Config& model, const TrainingData& data,
                        const std::string& initial) {
  nlohmann::ordered_json j;
  j["model"] = nlohmann::json::parse(model.to_json());
  j[vocabulary_key] = hash_of_vocabularies(data.pairs);
  j["seed"] = o.seed;
  j["init-gain"] = o.init_gain;
  j["init-from"] = initial;
  j["freeze"] = o.freeze;
  j["precision"] = o.precision;
  j["batch-tokens"] = o.batch_tokens;
  j["accumulate"] = o.accumulate;
  j["max-length"] = o.max_length;
  j["label-smoothing"] = o.label_smoothing;
  j["adam-beta1"] = o.beta1;
  j["adam-beta2"] = o.beta2;
  j["adam-eps"] = o.adam_eps;
  j["weight-decay"] = o.weight_decay;
  j["ema"] = o.ema;
  j["schedule"] = o.schedule;
  j["min-lr"] = o.min_lr;
  if (o.schedule == "linear" || o.schedule == "cosine") j["decay-updates"] = end_of_decay(o);
  if (o.schedule == "plateau") {
    j["plateau-factor"] = o.plateau_factor;
    j["plateau-patience"] = o.plateau_patience;
    j["valid-every"] = o.valid_every;
  }
  j["best-by"] = o.best_by;
  j["average-best"] = o.average_best;
  for (const auto& [name, value] : data.identity) j[name] = value;
  if (!o.guided_alignment.empty()) {
    j["guided-alignment-weight"] = o.guided_alignment_weight;
    j["guided-alignment-layer"] = o.guided_layer();
    j["guided-alignment-head"] = o.guided_alignment_head;
  }
  return j.dump();
}

bool same_run(const std::string& before, const std::string& now) {
  auto left = nlohmann::json::parse(before), right = nlohmann::json::parse(now);
  if (!left.contains(vocabulary_key)) right.erase(vocabulary_key);
  return left == right;
}

std::string changeable_options(const TrainOptions& o, const TrainingData& data) {
  // The vocabulary is that of the run's folder by then, but the record would say that others had made it.
  std::set<std::string> names{"lr",          "lr-factor",    "warmup",       "clip-norm", "average-last",
                              "vocab-size",  "vocab-type",   "vocab",        "vocabs",    "character-coverage",
                              "vocab-lines", "user-symbols", "byte-fallback"};
  names.insert({"separate-vocabs", "source-normalization", "target-normalization"});
  if (!data.valid.empty()) names.insert({"valid-every", "valid-beam", "valid-tokenize"});
  if (!o.valid_script.empty()) names.insert("valid-script");
  if (o.average_last > 0) names.insert("save-every");
  nlohmann::ordered_json j;
  TrainOptions::visit(o, [&](const std::string& name, const auto& value, const auto&...) {
    if (names.contains(name)) j[name] = value;
  });
  Hash valid;
  for (const auto* side : {&data.valid_source, &data.valid_reference})
    for (const std::string& line : *side) valid.add(line), valid.add("\n");
  j["hash of valid-sets"] = data.valid.empty() ? "" : valid.hex();
  return j.dump();
}

std::string changes(const std::string& before, const std::string& now) {
  const auto left = nlohmann::ordered_json::parse(before), right = nlohmann::ordered_json::parse(now);
  auto plain = [](const nlohmann::ordered_json& value) {
    if (value.empty() || value == "") return std::string("none");
    if (value.is_number_float()) return fmt::format("{}", value.get<double>());
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::string text;
  for (const auto& [name, value] : right.items())
    if (const auto was = left.find(name); was != left.end() && *was != value)
      text += cat(text.empty() ? "" : ", ", name, " ", plain(*was), " -> ", plain(value));
  return text;
}

std::string first_difference(const std::string& before, const std::string& now) {
  const auto left = nlohmann::json::parse(before).flatten(), right = nlohmann::json::parse(now).flatten();
  auto name = [](const std::string& key) { return key.substr(key.rfind('/') + 1); };
  // With another one the training data is other ids, too.
  if (const auto key = cat("/", vocabulary_key); left.contains(key) && right.contains(key) && left[key] != right[key])
    return cat("the hash of its vocabulary (vocab.spm, or vocab.source.spm and vocab.target.spm, in that folder) was ",
               left[key].dump(), ", now it is ", right[key].dump(), ": put the files of that run back");
  for (const auto& [key, value] : right.items()) {
    if (left.contains(key) && left[key] == value) continue;
    const bool end = name(key) == "decay-updates" && left.contains(key);
    return cat(name(key), " was ", left.contains(key) ? left[key].dump() : "not set", ", now it is ", value.dump(),
               end ? cat(" (leave --decay-updates out, and it stays ", left[key].dump(), ")") : "");
  }
  for (const auto& [key, value] : left.items())
    if (!right.contains(key)) return cat(name(key), " was ", value.dump(), ", now it is not set");
  return "the options differ";
}

}  // namespace hexapla
