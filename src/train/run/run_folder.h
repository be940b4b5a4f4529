#pragma once
// What a run writes into its folder while it goes on. What cannot be written costs no more than itself: the watcher is
// told, and the end of the run says that it is missing.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/run/checkpoint.h"
#include "train/run/resume.h"
#include "train/run/run_state.h"
#include "train/watch/train_log.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

struct TrainingData;  // train/data/training_data.h

// The lock of the process that writes; null in the others.
std::shared_ptr<const RunLock> lock_of(const TrainOptions& options, const TrainingData& data);

class RunFolder {
 public:
  // lock: of the folder.
  RunFolder(const TrainOptions& options, std::shared_ptr<const RunLock> lock, TrainWatcher& watcher)
      : options_(options), lock_(std::move(lock)), watcher_(watcher) {}

  std::string checkpoints() const { return options_.model + "/checkpoints"; }
  std::string failure() const { return options_.model + "/failure"; }

  // Removes what killed runs left half-written.
  void tidy() const;
  void resumed_from(const Resumed& found);
  void open_logs(const RunState& state);

  // No checkpoint could be written of this update: a mean of the last ones will know.
  void lost(RunState& state) const;

  // The state and tensors of a checkpoint that is "on" or "off" the schedule.
  using Content = std::function<CheckpointContent(const char* schedule)>;
  // A checkpoint that is due; older ones that are no longer wanted go. lost(), where it cannot be written.
  void save(RunState& state, const Content& content);
  // One that an unbroken run would not have, because this one is stopped or has reached its limit. A run that goes on
  // from here forgets it at its next one, so that the mean of the last ones is over the same checkpoints as if it had
  // never stopped.
  void save_off_schedule(const RunState& state, const Content& content);

  void log(const TrainReport& report);
  void log(const Validation& validation);
  // Does `write`. -> false: it failed, and the watcher was told.
  bool written(const char* otherwise, const std::function<void()>& write);

  void check_place() const { lock_->check_place(); }      // RunError: the folder is not where it was
  int64_t saved_update() const { return saved_update_; }  // of the last checkpoint; 0: none
  // What the end of the run must tell of, in a few words each.
  std::vector<std::string> missing(int64_t update) const;
  void forget_failure() const;  // it was mended: replaying it would mislead

 private:
  bool write_checkpoint(const RunState& state, const char* schedule, const Content& content);

  const TrainOptions& options_;
  std::shared_ptr<const RunLock> lock_;
  TrainWatcher& watcher_;
  std::optional<JsonLines> log_, valid_log_;
  int64_t saved_update_ = 0;
  std::optional<int64_t> extra_checkpoint_;  // one off the schedule: removed once passed
  int64_t lost_lines_ = 0;                   // of the logs
};

}  // namespace hexapla::train
