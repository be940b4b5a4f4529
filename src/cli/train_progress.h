#pragma once
#include "cli/terminal.h"
#include "train/trainer.h"

namespace hexapla::cli {

// Shows a training run: a live line on a terminal, plain lines otherwise, and what stays (validations, notes).
class ProgressWatcher : public TrainWatcher {
 public:
  explicit ProgressWatcher(const Terminal& terminal) : progress_(terminal) {}
  void note(const std::string& text) override;
  void started(const TrainStart& s) override;
  void updated(const TrainReport& r) override;
  void validated(const Validation& v) override;
  void saved(int64_t update, const std::string& folder) override;
  Progress& progress() { return progress_; }

 private:
  std::string bold(const std::string& text) const;
  Progress progress_;
};

}  // namespace hexapla::cli
