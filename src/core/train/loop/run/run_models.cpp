#include "train/loop/run/run_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/files/json_lines.h"
#include "train/record/best_files.h"
#include "train/record/best_models.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"
#include "train/record/run_vocabularies.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string checkpoints_of(const std::string& run) { return run + "/checkpoints"; }

std::string checkpoint_path(const std::string& run, int64_t update) {
  return fmt::format("{}/update-{:08}", checkpoints_of(run), update);
}

json identity_in(const LoadedCheckpoint& c) {
  const auto found = c.state.find("identity");
  json identity = found == c.state.end() ? json() : json_or_null(found->second);
  if (!identity.is_object()) throw DataError(cat(c.path, ": its state does not say which model it belongs to"));
  return identity;
}

// {source, target}, from the run's own copies, else from one of its models.
std::pair<std::string, std::string> vocabularies_of(const std::string& run) {
  if (auto own = vocabulary_bytes_of_run(run)) return *own;
  for (const char* name : {"/model.safetensors", "/best.safetensors"})
    if (fs::exists(run + name)) {
      const model::LoadedModel m = model::load_to_translate(run + name);
      return {m.source_vocabulary, m.target_vocabulary};
    }
  throw DataError(
      cat(run, " has no vocabulary (vocab.spm); a checkpoint is a model only in the folder of its training"));
}

// The standing of each validation after this update, by update.
std::map<int64_t, Standing> standings_of(const std::string& run, const std::string& best_by, int64_t after) {
  std::map<int64_t, Standing> standings;
  for (const json& v : json_lines(run + "/valid.jsonl")) {
    const auto is = [&](const char* key, bool (json::*kind)() const) { return v.contains(key) && (v[key].*kind)(); };
    std::string metric = best_by;
    if (best_by == "auto" && is("compared_by", &json::is_string)) metric = v["compared_by"];
    if (!is("update", &json::is_number_integer) || !is(metric.c_str(), &json::is_number)) continue;
    Standing s{metric, v[metric], {}};
    if (is("chrf", &json::is_number) && is("loss", &json::is_number)) s.ties = {v["chrf"], v["loss"]};
    if (const auto update = v["update"].get<int64_t>(); update > after) standings[update] = s;
  }
  return standings;
}

struct Measure {
  std::string best_by = "bleu";
  int64_t since = 0;  // up to this update, scores used other sets, another beam, ...
};
Measure measure_in(const std::string& run) {
  std::vector<std::string> notes;
  const auto newest = load_newest(checkpoints_of(run), notes);
  if (!newest) return {};
  return {identity_in(*newest).value("best-by", "bleu"),
          RunState::from_strings(newest->state, newest->path).scores_since};
}

}  // namespace

bool is_checkpoint(const std::string& path) { return fs::is_regular_file(path + "/MANIFEST.json"); }

model::LoadedModel load_checkpoint_model(const std::string& path) {
  const fs::path folder = fs::canonical(path);
  const std::string name = folder.filename().string(), run = folder.parent_path().parent_path().string();
  if (name.rfind("update-", 0) != 0)
    throw DataError(cat(path, " is a checkpoint that was set aside or renamed; give one called update-..."));
  const LoadedCheckpoint c = load_checkpoint(folder.parent_path().string(), std::atoll(name.c_str() + 7));
  model::LoadedModel m;
  const json identity = identity_in(c);
  m.config = model::Config::from_json(json_text(identity.value("model", json::object())), c.path);
  m.net = std::make_unique<model::Transformer>(m.config);
  m.parameters = std::make_unique<model::Parameters>(*m.net, DType::f32, model::Parameters::Use::inference);
  c.read(c.tensors.find("average") ? "average" : "values", m.parameters->values());
  if (m.parameters->buffers())
    c.read(c.tensors.find("average_buffers") ? "average_buffers" : "buffers", m.parameters->buffers());
  std::tie(m.source_vocabulary, m.target_vocabulary) = vocabularies_of(run);
  if (const auto usage = c.state.find("usage"); usage != c.state.end()) {
    m.usage = model::Usage::from_json(usage->second, c.path);
    check(m.usage, m.config, c.path);
  }
  for (const char* key : {"epoch", "target_tokens", "update"})
    if (const auto found = c.state.find(key); found != c.state.end()) m.history[key] = found->second;
  return m;
}

std::vector<std::string> last_models(const std::string& run, int64_t count) {
  const std::vector<int64_t> updates = list_checkpoints(checkpoints_of(run));
  const auto held = std::ssize(updates);
  if (held < count)
    throw DataError(cat(run, " holds ", held, " checkpoints, fewer than `last` ", count,
                        "; a training keeps as many as `keep` and `average-last` require"));
  std::vector<std::string> paths;
  for (auto update = updates.end() - count; update != updates.end(); ++update)
    paths.push_back(checkpoint_path(run, *update));
  return paths;
}

std::vector<std::string> best_models(const std::string& run, int64_t count) {
  const auto [best_by, since] = measure_in(run);
  const std::vector<int64_t> checkpoints = list_checkpoints(checkpoints_of(run));
  std::map<int64_t, std::string> paths;  // of existing models, by update
  std::vector<std::pair<int64_t, Standing>> held;
  for (const auto& [update, standing] : standings_of(run, best_by, since)) {
    if (std::binary_search(checkpoints.begin(), checkpoints.end(), update))
      paths[update] = checkpoint_path(run, update);
    else if (fs::exists(best_model_path(run, update)))
      paths[update] = best_model_path(run, update);
    else
      continue;
    held.emplace_back(update, standing);
  }
  if (std::ssize(held) < count)
    throw DataError(cat(run, " holds ", held.size(), " validated models, fewer than `best` ", count,
                        ": its checkpoints of updates with a validation, and DIR/best of `average-best`"));
  std::stable_sort(held.begin(), held.end(),
                   [](const auto& a, const auto& b) { return is_better(a.second, b.second); });
  held.resize(static_cast<size_t>(count));
  std::sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> best;
  for (const auto& [update, standing] : held) best.push_back(paths[update]);
  return best;
}

}  // namespace hexapla::train
