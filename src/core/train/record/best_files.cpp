#include "train/record/best_files.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/files/disk.h"
#include "base/files/file.h"
#include "tensor/safetensors.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

std::string best_file_of(const std::string& run) { return run + "/best.safetensors"; }

void add_updates(const RunState& state, std::set<int64_t>& updates) {
  for (const int64_t update : state.best_models.updates()) updates.insert(update);
  if (state.best_update > 0) updates.insert(state.best_update);
}

// Includes only checkpoints whose state is readable: a run cannot resume from others.
std::set<int64_t> updates_named_by_checkpoints(const std::string& run) {
  std::set<int64_t> updates;
  const std::string dir = run + "/checkpoints";
  for (const int64_t update : list_checkpoints(dir)) {
    try {
      add_updates(RunState::from_strings(load_state(dir, update), dir), updates);
    } catch (const UserError&) {
    }
  }
  return updates;
}

// Update recorded in a model file; none if it is unreadable.
std::optional<int64_t> update_of_model(const std::string& model) {
  try {
    const auto metadata = SafetensorsFile::open(model).metadata();
    const auto found = metadata.find("updates");
    return found == metadata.end() ? std::optional<int64_t>() : std::atoll(found->second.c_str());
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

std::string best_model_path(const std::string& run, int64_t update) {
  return fmt::format("{}/best/update-{:08}.safetensors", run, update);
}

void call_best(const std::string& run, int64_t update) {
  const std::string file = best_model_path(run, update);
  try {
    link_file(file, best_file_of(run));
  } catch (const RunError&) {  // not every file system supports hard links
    write_file_atomically(best_file_of(run), read_file(file));
  }
}

void prune_best(const std::string& run, const RunState& now) {
  std::error_code none;  // no folder: nothing to remove
  if (!fs::exists(run + "/best", none)) return;
  std::set<int64_t> updates = updates_named_by_checkpoints(run);
  add_updates(now, updates);
  std::set<std::string> kept;
  for (const int64_t update : updates) kept.insert(fs::path(best_model_path(run, update)).filename());
  for (const auto& file : fs::directory_iterator(run + "/best", none))
    if (!kept.contains(file.path().filename())) fs::remove(file.path(), none);
}

void restore_best(const std::string& run, const RunState& state, const std::function<void(const std::string&)>& note) {
  std::error_code none;
  if (state.best_update > 0 && fs::exists(best_model_path(run, state.best_update), none)) {
    if (!fs::equivalent(best_model_path(run, state.best_update), best_file_of(run), none))
      call_best(run, state.best_update);
    return;
  }
  if (!fs::exists(best_file_of(run), none)) return;
  if (const auto update = update_of_model(best_file_of(run)); update && *update <= state.update) return;
  const std::string aside = run + "/earlier-best.safetensors";
  fs::rename(best_file_of(run), aside, none);
  if (none) fail_file("rename " + best_file_of(run) + " to", aside, none.value());
  note(cat("best.safetensors is from a later part of the run, which was resumed from update ", state.update,
           ": it is now ", aside));
}

}  // namespace hexapla::train
