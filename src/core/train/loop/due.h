#pragma once
// When a run validates, saves and reports (docs/adr/0103).
#include "train/plan/options/options.h"
#include "train/record/run_state.h"

namespace hexapla::train {

// Depends on the state alone, never on the clock: equal runs validate and save at the same updates. An interval that is
// auto follows the work done, in target tokens.
class Due {
 public:
  explicit Due(const TrainOptions& options);

  // After the state's last update. epoch_ends: the epoch ends with it.
  bool validation(const RunState& s, bool epoch_ends) const;
  bool checkpoint(const RunState& s, bool epoch_ends) const;
  bool report(const RunState& s, bool epoch_ends) const;
  // What the state must remember of these; nothing of an interval that is given. cost: of the validation.
  void validated(RunState& s, int64_t cost) const;
  void saved(RunState& s) const;
  void reported(RunState& s) const;

  // Auto: what is left over at the end of the run.
  bool last_validation(const RunState& s) const {
    return validation_.is_auto() && s.target_tokens > s.tokens_validated;
  }
  bool last_report(const RunState& s) const { return reports_.is_auto() && s.loss_tokens > 0; }

 private:
  Interval validation_, checkpoints_, reports_;
};

}  // namespace hexapla::train
