#include "train/loop/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/disk.h"
#include "base/files/file.h"
#include "text/quantities.h"
#include "train/loop/run/final_model.h"
#include "train/record/best_files.h"

namespace hexapla::train {
namespace {

constexpr double kMostOfTheTime = 9;  // of training between two checkpoints, in times of writing one

}  // namespace

std::shared_ptr<const RunLock> lock_of(const TrainOptions& o, const TrainingData& data) {
  if (!data.processes->first()) return {};
  if (!data.lock) return std::make_shared<const RunLock>(o.model);
  HEXAPLA_CHECK(data.lock->folder() == o.model, "data prepared for ", data.lock->folder(), " is used in ", o.model);
  return data.lock;
}

void RunFolder::tidy() const {
  for (const char* part : {"", "/best", "/failure"}) remove_abandoned_files(options_.model + part);
  remove_unfinished(checkpoints());
}

void RunFolder::resumed_from(const Resumed& found) {
  saved_update_ = found.state.update;
  const auto schedule = found.checkpoint.state.find("schedule");
  if (schedule != found.checkpoint.state.end() && schedule->second == "off") extra_checkpoint_ = found.state.update;
}

void RunFolder::open_logs(const RunState& state) {
  log_.emplace(options_.model + "/train.jsonl", state.update);
  valid_log_.emplace(options_.model + "/valid.jsonl", state.update - state.validation_due);
  const int64_t reached = std::max(log_->lost(), valid_log_->lost());
  if (reached <= state.update) return;
  watcher_.note(
      cat("an earlier start reached update ", reached, ", but ",
          state.update > 0 ? cat("its last checkpoint is of update ", state.update) : "saved no checkpoint", ": ",
          text::counted(reached - state.update, "update"),
          " or more are done again; what it logged of them is in earlier-train.jsonl and earlier-valid.jsonl (",
          options_.save_minutes > 0 ? cat("a checkpoint is written every ", options_.save_minutes, " minutes")
                                    : "`save-minutes` 0",
          ")"));
}

void RunFolder::save(RunState& state, const Content& content) {
  if (!write_checkpoint(state, "on", content)) return lost(state);
  written("an old checkpoint was not removed", [&] {
    if (extra_checkpoint_ == state.update)  // stopped during this update's validation
      remove_aside(checkpoints(), state.update);
    else if (extra_checkpoint_)
      remove_checkpoint(checkpoints(), *extra_checkpoint_);
    extra_checkpoint_.reset();
    prune(checkpoints(), std::max(options_.keep, options_.average_last));
    prune_best(options_.model, state);
  });
}

void RunFolder::lost(RunState& state) const {
  state.lost_checkpoints.push_back(state.update);
  if (std::ssize(state.lost_checkpoints) > options_.average_last)
    state.lost_checkpoints.erase(state.lost_checkpoints.begin());
}

void RunFolder::save_off_schedule(const RunState& state, const Content& content) {
  if (saved_update_ == state.update || !write_checkpoint(state, "off", content)) return;
  if (extra_checkpoint_) remove_checkpoint(checkpoints(), *extra_checkpoint_);
  extra_checkpoint_ = state.update;
}

// On failure the last good checkpoint stays, and the next one is tried as usual.
bool RunFolder::write_checkpoint(const RunState& state, const char* schedule, const Content& content) {
  const double began = clock_.seconds();
  const bool is_written = written("no checkpoint was written", [&] {
    save_and_free_space(checkpoints(), state.update, content(schedule), options_.average_last > 0);
  });
  saved_at_ = clock_.seconds();
  writing_ = saved_at_ - began;
  if (!is_written) return false;
  saved_update_ = state.update;
  watcher_.saved(state.update, fmt::format("{}/update-{:08}", checkpoints(), state.update));
  return true;
}

bool RunFolder::writing_was_slow() const { return clock_.seconds() - saved_at_ < kMostOfTheTime * writing_; }

bool RunFolder::save_is_due(int64_t update) const {
  return options_.save_minutes > 0 && saved_update_ != update && !writing_was_slow() &&
         clock_.seconds() - saved_at_ >= 60 * options_.save_minutes;
}

void RunFolder::log(const TrainReport& report) {
  lost_lines_ += !written("the report was not logged", [&] { log_->append(to_json(report)); });
}

void RunFolder::log(const Validation& validation) {
  lost_lines_ += !written("the validation was not logged", [&] { valid_log_->append(to_json(validation)); });
}

bool RunFolder::written(const char* otherwise, const std::function<void()>& write) {
  try {
    lock_->check_place();
    write();
  } catch (const RunError& e) {
    if (++failures_[otherwise] == 1) watcher_.note(cat(otherwise, "; training goes on: ", e.what()));
    return false;
  }
  if (const auto failed = failures_.extract(otherwise))
    watcher_.note(cat("writing works again (", failed.mapped() == 1 ? "once" : cat(failed.mapped(), " times"), " ",
                      otherwise, ")"));
  return true;
}

std::vector<std::string> RunFolder::missing(int64_t update) const {
  std::vector<std::string> all;
  if (saved_update_ != update)
    all.push_back(cat("the checkpoint of the last update: the run can resume from ",
                      saved_update_ > 0 ? cat("update ", saved_update_) : "its beginning", " only"));
  if (lost_lines_ > 0) all.push_back(cat(lost_lines_, " lines of train.jsonl and valid.jsonl"));
  return all;
}

void RunFolder::forget_failure() const {
  std::error_code none;
  std::filesystem::remove_all(failure(), none);
}

}  // namespace hexapla::train
