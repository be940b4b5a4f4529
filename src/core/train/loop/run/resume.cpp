#include "train/loop/run/resume.h"

#include "base/error.h"
#include "base/json.h"
#include "train/loop/run/resume_fingerprint.h"
#include "train/plan/options/removed_options.h"
#include "train/record/best_files.h"

namespace hexapla::train {
namespace {

using State = std::map<std::string, std::string>;
using Note = std::function<void(const std::string&)>;

std::string text_in(const State& state, const char* key) {
  const auto found = state.find(key);
  return found == state.end() ? "" : found->second;
}

void require_same_run(const TrainOptions& o, const State& state, const std::string& identity) {
  const std::string was = text_in(state, "identity");
  if (!was.empty() && same_run(was, identity)) return;
  const nlohmann::json options_then = json_or_null(was);
  for (const auto& [name, value] : options_then.items())
    was_removed({name, {json_text(value)}, cat(o.model, " holds a run that this program cannot resume")});
  throw UsageError(cat(o.model, " holds a run with other options: ",
                       was.empty() ? "its checkpoint does not record them" : first_difference(was, identity),
                       "; give the options of that run, or another `model` folder"));
}

// Without the vocabulary options, which VocabularyRecord has already compared.
std::string without_vocabulary(const std::string& noted) {
  auto all = parse_json<nlohmann::ordered_json>(noted, "the options of a checkpoint");
  for (const OptionRow& row : rows_of(TrainOptions()))
    if (row.effect == Effect::vocabulary) all.erase(row.name);
  return json_text(all);
}

// Checkpoints of earlier versions do not record the options.
void record_changes(const std::string& was, const std::string& now, RunState& state, const Note& note) {
  const std::string what = was.empty() ? "" : changes(without_vocabulary(was), now);
  if (what.empty()) return;
  state.changed += cat(state.changed.empty() ? "" : "; ", "update ", state.update, ": ", what);
  note(cat("resumes with other options", what.find(kInstructionSet) == what.npos ? "" : " or on another processor",
           ": ", what, "; the model's record will show it"));
}

// now: "" if there is no validation; then scores are kept.
void compare_measures(const std::string& now, RunState& state, const Note& note) {
  if (now.empty()) return;
  if (state.best && !state.measure.empty() && state.measure != now) {
    state.forget_scores();
    note(cat("validations until update ", state.update, " used another metric (", changes(state.measure, now),
             "), so their scores are discarded: best model, `patience` and plateau start over"));
  }
  state.measure = now;
}

// A stopped run leaves an extra checkpoint, and removes it after its next one. If it was killed in
// between, remove it now: it must not enter a mean.
void remove_off_schedule(const std::string& checkpoints, int64_t before) {
  for (const int64_t update : list_checkpoints(checkpoints)) {
    if (update >= before) continue;
    try {
      if (text_in(load_state(checkpoints, update), "schedule") == "off") remove_checkpoint(checkpoints, update);
    } catch (const DataError&) {  // a mean that needs it will report it
    }
  }
}

}  // namespace

std::optional<Resumed> resume_run(const TrainOptions& o, const std::string& identity, const std::string& changeable,
                                  const Note& note) {
  const std::string checkpoints = o.model + "/checkpoints";
  std::vector<std::string> notes;
  std::optional<LoadedCheckpoint> found = load_newest(checkpoints, notes);
  for (const auto& n : notes) note(n);
  RunState state;
  std::string noted = changeable;
  if (found) {
    require_same_run(o, found->state, identity);
    state = RunState::from_strings(found->state, checkpoints);
    const std::string was = text_in(found->state, "changeable");
    if (!was.empty()) noted = as_recorded(was, changeable);
    record_changes(was, changeable, state, note);
    if (state.measure.empty() && !was.empty()) state.measure = measure_of(was, o.best_by);
  }
  set_aside_after(checkpoints, state.update);
  remove_off_schedule(checkpoints, state.update);
  restore_best(o.model, state, note);
  compare_measures(measure_of(changeable, o.best_by), state, note);
  prune_best(o.model, state);
  if (!found) return {};
  const std::string identity_now = as_recorded(found->state.at("identity"), identity);
  return Resumed{std::move(*found), state, identity_now, noted};
}

}  // namespace hexapla::train
