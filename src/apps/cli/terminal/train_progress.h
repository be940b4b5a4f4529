#pragma once
#include <chrono>

#include "cli/terminal/terminal.h"
#include "lib/training/run_training.h"

namespace hexapla::cli {

// Shows a training run: on a terminal a live line, and a table at each validation; otherwise one
// plain line per report and per validation.
class ProgressWatcher : public api::RunWatcher {
 public:
  explicit ProgressWatcher(const Terminal& terminal) : progress_(terminal) {}

  // Reads valid.jsonl and train.jsonl of an earlier start, so that "best" and the sparklines cover
  // the whole run.
  void begins(const std::string& folder) override;
  void reading(const char* what, int64_t pairs) override;
  void note(const std::string& text) override;
  void started(const train::TrainStart& s) override;
  void running(const train::TrainReport& r) override;
  void updated(const train::TrainReport& r) override;
  void validated(const train::Validation& v) override;
  void saved(int64_t update, const std::string& folder) override;
  Progress& progress() { return progress_; }

 private:
  std::string bold(const std::string& text) const;
  void show_table(const train::Validation& v);
  void show_samples(const train::Validation& v);

  using Clock = std::chrono::steady_clock;
  Progress progress_;
  Clock::time_point reading_since_ = Clock::now();
  int64_t pairs_read_ = 0;
  std::vector<double> losses_;                                  // of the reports
  std::vector<std::pair<int64_t, train::Validation>> history_;  // without their samples
  std::vector<std::string> last_hypotheses_;
  bool signature_shown_ = false;
};

// How a run has ended, and where its model is.
void say_result(Progress& progress, const train::TrainOptions& o, const train::TrainResult& r);

// "loss 3.2142": as many values as fit into `columns`, the most important first.
std::string live_line(const train::TrainReport& r, const std::vector<double>& losses, int columns);

// The state of one measure, given its values at all validations, newest last: "new best", or
// "stalled 2 times (best 34.12 at update 1,500)".
std::string standing(const std::vector<std::pair<int64_t, double>>& values, bool higher_is_better, int digits);

}  // namespace hexapla::cli
