#include "train/identity.h"

#include <nlohmann/json.hpp>

#include "train/schedule.h"

namespace hexapla {

std::string identity_of(const TrainOptions& o, const Config& model, const TrainingData& data,
                        const std::string& initial) {
  nlohmann::ordered_json j;
  j["model"] = nlohmann::json::parse(model.to_json());
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

std::string first_difference(const std::string& before, const std::string& now) {
  const auto left = nlohmann::json::parse(before).flatten(), right = nlohmann::json::parse(now).flatten();
  auto name = [](const std::string& key) { return key.substr(key.rfind('/') + 1); };
  for (const auto& [key, value] : right.items())
    if (!left.contains(key) || left[key] != value)
      return cat(name(key), " was ", left.contains(key) ? left[key].dump() : "not set", ", now it is ", value.dump());
  for (const auto& [key, value] : left.items())
    if (!right.contains(key)) return cat(name(key), " was ", value.dump(), ", now it is not set");
  return "the options differ";
}

}  // namespace hexapla
