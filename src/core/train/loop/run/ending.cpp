#include "train/loop/run/ending.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/range.h"
#include "model/weights/model_file.h"
#include "train/measure/validation.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

const TrainOptions& options_of_run(const EndOfRun& run) { return run.trained.options; }
std::string checkpoint_folder(const EndOfRun& run) { return options_of_run(run).model + "/checkpoints"; }
std::string model_of(const EndOfRun& run) { return options_of_run(run).model + "/model.safetensors"; }
std::string best_file(const EndOfRun& run) { return options_of_run(run).model + "/best.safetensors"; }

// The existing best.safetensors.
struct BestModel {
  std::string update;
  Standing standing;
  Contender contender() const {
    return {cat("best single model (update ", update, ")"), standing.score, standing.metric};
  }
};

std::optional<BestModel> read_best(const EndOfRun& run) {
  const RunState& state = run.state;
  if (!state.best) return {};
  const std::string& metric = state.best->metric;
  std::string found = "is missing";
  try {
    const model::LoadedModel m = model::load_to_translate(best_file(run));
    const std::string& score = m.history.at("best_valid_" + metric);
    // The file has six digits of the score, the state all of them.
    const bool same = score == cat(state.best->score);
    const Standing in_file{metric, parse_number<double>(score).value_or(0), {}};
    const BestModel best{m.history.at("updates"), same ? *state.best : in_file};
    if (same || !is_better(*state.best, in_file)) return best;
    run.missing.push_back(
        fmt::format("the best model (validation {} {:.2f}): best.safetensors is that of update {} "
                    "({:.2f})",
                    metric, state.best->score, best.update, in_file.score));
    return best;
  } catch (const UserError& e) {
    if (fs::exists(best_file(run))) run.note(e.what());
  } catch (const std::out_of_range&) {
    run.note(best_file(run) + " does not record its score");
  }
  run.missing.push_back(fmt::format("the best model (validation {} {:.2f})", metric, state.best->score));
  return {};
}

void name_missing(const MeanOfStates& mean, const char* of, EndOfRun& run) {
  for (const std::string& note : mean.notes) run.note(note);
  if (mean.missing.empty()) return;
  run.missing.push_back(fmt::format("{} of the {} {} for the mean: of updates {}", mean.missing.size(),
                                    mean.missing.size() + mean.updates.size(), of, fmt::join(mean.missing, ", ")));
}

// Puts the requested mean into the model; without one, keeps the last weights.
Weights take_mean(EndOfRun& run) {
  const TrainOptions& o = options_of_run(run);
  const RunState& state = run.state;
  if (std::vector<int64_t> best = state.best_models.updates(); !best.empty()) {
    if (best.back() > o.warmup) std::erase_if(best, [&](int64_t update) { return update <= o.warmup; });
    MeanOfStates mean;
    run.parameters.on_host([&] { mean = average_best(o.model, best, run.parameters); });
    name_missing(mean, "best models", run);
    if (!mean.updates.empty()) return {Weights::Kind::mean_of_best, mean.updates};
  } else if (o.average_last > 0) {
    std::vector<int64_t> saved = list_checkpoints(checkpoint_folder(run));
    saved.insert(saved.end(), state.lost_checkpoints.begin(), state.lost_checkpoints.end());
    const auto updates = updates_of_mean(saved, state.update, o.average_last, o.warmup);
    MeanOfStates mean;
    run.parameters.on_host([&] {
      mean = average_checkpoints(checkpoint_folder(run), updates, o.ema > 0 ? "average" : "values", run.parameters);
    });
    name_missing(mean, "states", run);
    return {Weights::Kind::mean_of_last, mean.updates};
  }
  return {Weights::Kind::last, {state.update}};
}

// On a full disk, frees older checkpoints: the mean is computed, and a run resumes from the newest.
void write_weights(const EndOfRun& run, const Weights& weights) {
  try {
    save_run_model(model_of(run), run.trained, run.state, weights);
  } catch (const NoSpaceError&) {
    remove_out_of_reach(checkpoint_folder(run), run.state.update, false);
    save_run_model(model_of(run), run.trained, run.state, weights);
  }
}

// Falls back to a hard link if the disk is full: hexapla replaces files and never modifies them.
void write_best(const EndOfRun& run) {
  try {
    write_file_atomically(model_of(run), read_file(best_file(run)));
  } catch (const RunError&) {
    link_file(best_file(run), model_of(run));
  }
}

[[noreturn]] void fail_without_model(const EndOfRun& run, const std::string& why) {
  const std::string earlier = options_of_run(run).model + "/earlier-model.safetensors";
  std::error_code none;
  std::string previous_model;
  if (fs::exists(model_of(run), none)) {
    fs::rename(model_of(run), earlier, none);
    previous_model = cat("; the model of an earlier end is now ", none ? model_of(run) : earlier);
  }
  throw RunError(cat("the run has ended after update ", run.state.update, ", but its model could not be written: ", why,
                     previous_model, ". Once that is fixed, the same command resumes from the last checkpoint"));
}

}  // namespace

HandedOver hand_over(EndOfRun& run) {
  const TrainOptions& o = options_of_run(run);
  const bool averages = o.average_last > 0 || !run.state.best_models.updates().empty();
  const std::optional<BestModel> best = read_best(run);
  const auto hand_over_best = [&](std::vector<Contender> others) {
    write_best(run);
    others.insert(others.begin(), best->contender());
    return HandedOver{model_of(run), others};
  };
  std::vector<Contender> all;
  try {
    if (best && (o.final_model == "best" || !averages)) return hand_over_best({});
    Weights weights = take_mean(run);
    if (!run.trained.data.valid.empty()) {
      const Validation v = run.validate();
      weights.standing = standing_of(v, v.compared_by);
    }
    Contender mean{weights.text(), {}};
    if (const auto& s = weights.standing) mean.score = s->score, mean.metric = s->metric;
    const bool best_is_better = best && weights.standing && is_better(best->standing, *weights.standing) &&
                                !is_noise(best->standing, *weights.standing);
    if (best_is_better && o.final_model == "better") return hand_over_best({mean});
    try {
      write_weights(run, weights);
    } catch (const RunError& e) {
      if (!best) throw;
      run.note(e.what());
      run.missing.push_back("the " + mean.what);
      return hand_over_best({mean});
    }
    all = {mean};
    if (best) all.push_back(best->contender());
  } catch (const UserError& e) {
    fail_without_model(run, e.what());
  }
  return {model_of(run), all};
}

}  // namespace hexapla::train
