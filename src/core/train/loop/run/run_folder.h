#pragma once
// Writes the files of a run while it continues. A failure to write costs only that file: the
// watcher is told, and the end of the run reports it missing.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/system/running_clock.h"
#include "train/loop/run/resume.h"
#include "train/record/checkpoint.h"
#include "train/record/run_state.h"
#include "train/record/watch/train_log.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

struct TrainingData;  // train/feed/training_data.h

// The lock held by the writing process; null in the others.
std::shared_ptr<const RunLock> lock_of(const TrainOptions& options, const TrainingData& data);

class RunFolder {
 public:
  // lock: of the folder.
  RunFolder(const TrainOptions& options, std::shared_ptr<const RunLock> lock, TrainWatcher& watcher)
      : options_(options), lock_(std::move(lock)), watcher_(watcher) {}

  std::string checkpoints() const { return options_.model + "/checkpoints"; }
  std::string failure() const { return options_.model + "/failure"; }

  // Removes incomplete files of killed runs.
  void tidy() const;
  void resumed_from(const Resumed& found);
  // Lines that a killed run logged after this state go to earlier-train.jsonl and earlier-valid.jsonl.
  void open_logs(const RunState& state);

  // Records that this update's checkpoint could not be written, for a mean of the last ones.
  void lost(RunState& state) const;

  // Content of a checkpoint that is "on" or "off" the schedule.
  using Content = std::function<CheckpointContent(const char* schedule)>;
  // Writes a scheduled checkpoint and removes older ones no longer needed. Calls lost() on failure.
  void save(RunState& state, const Content& content);
  // Writes an extra checkpoint, because the run is stopped, has reached its limit, or was not saved for long. A resumed
  // run removes it after its next scheduled one, so that means of the last checkpoints are the same as if it had never
  // stopped.
  void save_off_schedule(const RunState& state, const Content& content);

  // Did writing the last checkpoint take more than a tenth of the time since it was begun?
  bool writing_was_slow() const;
  // Has `save-minutes` passed since the last checkpoint?
  bool save_is_due(int64_t update) const;

  void log(const TrainReport& report);
  void log(const Validation& validation);
  // Runs `write`. -> false if it failed. The watcher is told of the first failure in a row, and of its end.
  bool written(const char* otherwise, const std::function<void()>& write);

  void check_place() const { lock_->check_place(); }      // RunError: the folder was moved or removed
  int64_t saved_update() const { return saved_update_; }  // of the last checkpoint; 0: none
  // Short descriptions of what the end of the run must report missing.
  std::vector<std::string> missing(int64_t update) const;
  void forget_failure() const;  // it was fixed: replaying it would mislead

 private:
  bool write_checkpoint(const RunState& state, const char* schedule, const Content& content);

  const TrainOptions& options_;
  std::shared_ptr<const RunLock> lock_;
  TrainWatcher& watcher_;
  std::optional<JsonLines> log_, valid_log_;
  int64_t saved_update_ = 0;
  RunningClock clock_;
  double saved_at_ = 0, writing_ = 0;        // when the last checkpoint was written or tried, and how long that took
  std::optional<int64_t> extra_checkpoint_;  // off the schedule: removed after the next scheduled one
  int64_t lost_lines_ = 0;                   // log lines not written
  std::map<std::string, int64_t> failures_;  // in a row, by what could not be written
};

}  // namespace hexapla::train
