#include "train/loop/due.h"

#include <algorithm>

namespace hexapla::train {
namespace {

// Training before a validation, in costs of the last one: at least, and within an epoch.
constexpr int64_t kCostsBefore = 9, kCostsWithinEpoch = 100;
constexpr int64_t kTokensWithinEpoch = 10'000'000;  // at least; minutes or hours of training
// Writing a checkpoint takes as long as training on about a thousand tokens, whatever the size of the model, because
// both grow with it.
constexpr int64_t kTokensBeforeCheckpoint = 10'000;
constexpr int64_t kUpdatesBeforeReport = 50;
constexpr int64_t kTokensBeforeReport = 20'000;  // at least; then a hundredth of the run so far

}  // namespace

Due::Due(const TrainOptions& o)
    : validation_(Interval::parse("valid-every", o.valid_every)),
      checkpoints_(Interval::parse("save-every", o.save_every)),
      reports_(Interval::parse("report-every", o.report_every)) {}

bool Due::validation(const RunState& s, bool epoch_ends) const {
  if (!validation_.is_auto()) return validation_.due(s.update, s.epoch, epoch_ends);
  const int64_t trained = s.target_tokens - s.tokens_validated;
  if (epoch_ends) return trained >= kCostsBefore * s.validation_cost;
  return trained >= std::max(kTokensWithinEpoch, kCostsWithinEpoch * s.validation_cost);
}

bool Due::checkpoint(const RunState& s, bool epoch_ends) const {
  if (!checkpoints_.is_auto()) return checkpoints_.due(s.update, s.epoch, epoch_ends);
  // Every checkpoint is a validated model, so that none is better than the best that is known.
  const bool unvalidated = s.validation_cost > 0 && s.tokens_validated < s.target_tokens;
  return epoch_ends && !unvalidated && s.target_tokens - s.tokens_saved >= kTokensBeforeCheckpoint;
}

void Due::validated(RunState& s, int64_t cost) const {
  if (validation_.is_auto()) s.tokens_validated = s.target_tokens, s.validation_cost = cost;
}
void Due::saved(RunState& s) const {
  if (checkpoints_.is_auto()) s.tokens_saved = s.target_tokens;
}
void Due::reported(RunState& s) const {
  if (reports_.is_auto()) s.tokens_reported = s.target_tokens;
}

bool Due::report(const RunState& s, bool epoch_ends) const {
  if (!reports_.is_auto()) return reports_.due(s.update, s.epoch, epoch_ends);
  return s.update % kUpdatesBeforeReport == 0 ||
         s.target_tokens - s.tokens_reported >= std::max(kTokensBeforeReport, s.target_tokens / 100);
}

}  // namespace hexapla::train
