#include "train/loop/run/resume_fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/files/hash.h"
#include "base/json.h"
#include "base/options/option_json.h"
#include "train/plan/options/schedule.h"
#include "train/plan/resolve/resolve.h"
#include "train/record/run_vocabularies.h"

namespace hexapla::train {

namespace {

constexpr const char *kVocabularyKey = "vocabulary", *kFrozenStatistics = "running statistics of frozen norms";
// Keys that later versions added to one of the records.
constexpr const char* kAddedLater[] = {kVocabularyKey, kPairsOfSets, kInstructionSet};
// In this order, so that checkpoints stay byte-identical to those of earlier versions; others
// follow.
constexpr const char* kWrittenFirst[] = {"seed",
                                         "init-gain",
                                         "init-from",
                                         "freeze",
                                         "precision",
                                         "batch-tokens",
                                         "accumulate",
                                         "max-length",
                                         "label-smoothing",
                                         "adam-beta1",
                                         "adam-beta2",
                                         "adam-eps",
                                         "weight-decay",
                                         "ema",
                                         "schedule",
                                         "min-lr",
                                         "decay-updates",
                                         "plateau-factor",
                                         "plateau-patience",
                                         "valid-every",
                                         kFrozenStatistics,
                                         "best-by",
                                         "average-best"};

// Sets or clears valid-sets, regardless of whether files or a program supply the pairs.
TrainOptions validated(TrainOptions o, bool are_there) {
  o.valid_sets.assign(are_there ? 1 : 0, "validation");
  return o;
}

// Does this changeable option affect the result? Only with a mean of checkpoints, or a program.
bool hangs_on(const std::string& name, const TrainOptions& o) {
  return !(name == "save-every" && o.average_last == 0) && !(name == "valid-script" && o.valid_script.empty());
}

template <class Json>
Json tree_of(const std::string& record) {
  return parse_json<Json>(record, "the record of options in a checkpoint");
}

std::map<std::string, int> places_of_declarations() {
  std::map<std::string, int> places;
  for (const std::string& name : names_of(all_rows(TrainOptions())))
    places.emplace(name, static_cast<int>(places.size()));
  return places;
}

// Default value of a key, which is absent from an identity at its default.
std::string usual_value(const std::string& key) { return key == kPartsOfPairs ? "\"1\"" : "not set"; }

}  // namespace

std::string resume_fingerprint(const TrainOptions& options, const model::Config& model, const TrainingData& data,
                               const std::string& initial) {
  const TrainOptions o = validated(options, true);  // they may come and go between resumptions
  nlohmann::ordered_json fixed{{"init-from", initial}};
  for (const OptionRow& row : rows_of(o))
    if (row.effect == Effect::fixed && row.when.now) fixed[row.name] = json_of(row);
  if (decays(o)) fixed["decay-updates"] = end_of_decay(o);
  if (o.schedule == "plateau") fixed["valid-every"] = o.valid_every;
  if (!o.guided_alignment.empty()) fixed["guided-alignment-layer"] = o.guided_layer();
  // Earlier versions did not freeze statistics; their runs cannot continue with frozen ones.
  if (!o.freeze.empty() && model.norm == "batch") fixed[kFrozenStatistics] = "frozen";

  nlohmann::ordered_json j;
  j["model"] = parse_json(model.to_json(), "a configuration");
  j[kVocabularyKey] = hash_of({data.pairs.source, data.pairs.target});
  for (const char* name : kWrittenFirst)
    if (fixed.contains(name)) j[name] = fixed[name];
  for (const auto& [name, value] : data.identity) j[name] = value;
  for (const auto& [name, value] : fixed.items())
    if (!j.contains(name)) j[name] = value;
  return json_text(j);
}

std::string as_recorded(const std::string& before, const std::string& now) {
  const auto left = tree_of<nlohmann::ordered_json>(before);
  auto right = tree_of<nlohmann::ordered_json>(now);
  for (const char* key : kAddedLater)
    if (!left.contains(key)) right.erase(key);
  return json_text(right);
}

bool same_run(const std::string& before, const std::string& now) {
  auto left = tree_of<nlohmann::json>(before);
  const auto right = tree_of<nlohmann::json>(as_recorded(before, now));
  // Earlier versions also wrote these if they had no effect.
  for (const char* name : {"init-gain", "min-lr", "average-best"})
    if (!right.contains(name)) left.erase(name);
  return left == right;
}

std::string noted_options(const TrainOptions& options, const TrainingData& data, const std::string& backend) {
  const TrainOptions o = validated(options, !data.valid.empty());
  nlohmann::ordered_json j;
  for (const OptionRow& row : rows_of(o)) {
    const bool noted = row.effect == Effect::noted || row.effect == Effect::vocabulary;
    // Keep other idle options, which cannot be given, because earlier versions recorded them.
    const bool there = row.when.now || !std::string_view(row.name).starts_with("valid-");
    if (noted && there && hangs_on(row.name, o)) j[row.name] = json_of(row);
  }
  Hash valid;
  for (const auto* side : {&data.valid_source, &data.valid_reference})
    for (const std::string& line : *side) valid.add(line), valid.add("\n");
  j["hash of valid-sets"] = data.valid.empty() ? "" : valid.hex();
  j[kInstructionSet] = backend;
  return json_text(j);
}

std::string measure_of(const std::string& changeable, const std::string& metric) {
  const auto all = tree_of<nlohmann::ordered_json>(changeable);
  constexpr const char* sets = "hash of valid-sets";
  if (!all.contains(sets) || all[sets] == "") return "";
  std::vector<const char*> names{sets};
  if (metric != "loss") names.push_back("valid-beam");
  if (metric == "bleu" || metric == "auto") names.push_back("valid-tokenize");
  if (metric == "script") names.push_back("valid-script");
  nlohmann::ordered_json measure;
  for (const char* name : names)
    if (all.contains(name)) measure[name] = all[name];
  return json_text(measure);
}

std::string changes(const std::string& before, const std::string& now) {
  const auto left = tree_of<nlohmann::ordered_json>(before), right = tree_of<nlohmann::ordered_json>(now);
  auto plain = [](const nlohmann::ordered_json& value) {
    if (value.empty() || value == "") return std::string("none");
    if (value.is_number_float()) return fmt::format("{}", value.get<double>());
    return value.is_string() ? value.get<std::string>() : json_text(value);
  };
  std::string text;
  for (const auto& [name, value] : right.items())
    if (const auto was = left.find(name); was != left.end() && *was != value)
      text += cat(text.empty() ? "" : ", ", name, " ", plain(*was), " -> ", plain(value));
  return text;
}

std::string first_difference(const std::string& before, const std::string& now) {
  const auto left = tree_of<nlohmann::json>(before).flatten(),
             right = tree_of<nlohmann::json>(as_recorded(before, now)).flatten();
  const auto name = [](const std::string& key) { return key.substr(key.rfind('/') + 1); };
  const auto text_of = [&](const nlohmann::json& all, const std::string& key) {
    return all.contains(key) ? json_text(all[key]) : usual_value(name(key));
  };
  const auto differs = [&](const std::string& key) { return text_of(left, key) != text_of(right, key); };
  const auto told = [&](const std::string& key) {
    if (name(key) == "training data")  // a hash
      return std::string(
          "the pairs of `train-sets` are not those that the run began with: give these files, unchanged");
    return cat(name(key), " was ", text_of(left, key), ", now it is ", text_of(right, key));
  };
  // Another vocabulary also changes the ids of the training data.
  if (const auto key = cat("/", kVocabularyKey); left.contains(key) && right.contains(key) && differs(key))
    return cat("the hash of its vocabulary (vocab.spm, or vocab.source.spm and vocab.target.spm, in that folder) was ",
               json_text(left[key]), ", now it is ", json_text(right[key]), ": put the files of that run back");
  // Another number changes how lines are divided.
  for (const char* key : {"/shards", "/accumulate"})
    if (differs(key)) return told(key);
  std::vector<std::string> keys;
  for (const auto* all : {&right, &left})
    for (const auto& item : all->items())
      if (differs(item.key())) keys.push_back(item.key());
  if (keys.empty()) return "the options differ";
  // Keys present in only one follow from keys present in both: plateau-factor from schedule. And options follow from
  // those declared before them: dim-key from dim-model.
  const std::map<std::string, int> declared = places_of_declarations();
  const auto cause = std::min_element(keys.begin(), keys.end(), [&](const std::string& a, const std::string& b) {
    const auto rank = [&](const std::string& key) {
      const auto place = declared.find(name(key));
      return std::pair(!(left.contains(key) && right.contains(key)),
                       place == declared.end() ? std::ssize(declared) : place->second);
    };
    return rank(a) < rank(b);
  });
  return cat(told(*cause), name(*cause) == "decay-updates" && left.contains(*cause)
                               ? cat(" (leave `decay-updates` out, and it stays ", json_text(left[*cause]), ")")
                               : "");
}

}  // namespace hexapla::train
