#include "train/record/earlier_run.h"

#include "base/json.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {

std::optional<EarlierRun> EarlierRun::in(const std::string& folder) {
  if (folder.empty()) return {};
  const auto state = newest_state(folder + "/checkpoints");
  if (!state) return {};
  const auto text = [&](const char* key) {
    const auto found = state->find(key);
    return found == state->end() ? "" : found->second;
  };
  return EarlierRun{folder, text("identity"), text("changeable"), text("usage")};
}

std::string EarlierRun::precision() const {
  const std::string was = identity.empty() ? "" : parse_json(identity, folder).value("precision", "");
  return was == "auto" ? "" : was;
}

std::optional<int64_t> EarlierRun::number(const char* option) const {
  const nlohmann::json all = json_or_null(identity);
  if (!all.is_object() || !all.contains(option) || !all[option].is_number_integer()) return {};
  return all[option].get<int64_t>();
}

std::optional<std::string> EarlierRun::tokenizer() const {
  const nlohmann::json all = json_or_null(changeable);
  if (!all.is_object() || all.value("hash of valid-sets", "") == "") return {};
  return all.value("valid-tokenize", "13a");  // runs from before this option used 13a
}

TrainOptions with_defaults_of_run(const TrainOptions& options, const std::optional<EarlierRun>& earlier) {
  TrainOptions o = options;
  if (!earlier) return o;
  const auto began_with = [&](const char* option, const char* value) {
    for (const std::string* record : {&earlier->identity, &earlier->changeable})
      if (const nlohmann::json all = json_or_null(*record); all.is_object() && all.contains(option))
        return all[option].is_string() && all[option].get<std::string>() == value;
    return false;
  };
  if (o.best_by == "auto" && began_with("best-by", "bleu")) o.best_by = "bleu";
  if (o.valid_every == "auto" && began_with("valid-every", "1e")) o.valid_every = "1e";
  if (o.save_every == "auto" && began_with("save-every", "1e")) o.save_every = "1e";
  return o;
}

}  // namespace hexapla::train
