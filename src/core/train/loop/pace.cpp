#include "train/loop/pace.h"

#include <algorithm>

namespace hexapla::train {

void Pace::start() {
  started_ = reported_ = shown_ = clock_.seconds();
  reported_tokens_ = state_.target_tokens;
  progress_at_start_ = progress();
}

void Pace::reported() {
  reported_ = clock_.seconds();
  reported_tokens_ = state_.target_tokens;
}

bool Pace::due_to_be_shown() {
  if (since(shown_) < 0.2) return false;
  shown_ = clock_.seconds();
  return true;
}

double Pace::seconds() const { return state_.seconds + since(started_); }

double Pace::progress() const {
  double done = 0;
  auto limit = [&](double now, double most) {
    if (most > 0) done = std::max(done, now / most);
  };
  limit(double(state_.update), double(options_.max_updates));
  limit(stream_.epochs(), double(options_.max_epochs));
  limit(double(state_.update), double(state_.cooldown.end));
  done = std::max(done, time_passed());
  return std::min(done, 1.0);
}

double Pace::time_passed() const {
  return options_.max_minutes > 0 ? std::min(seconds() / (options_.max_minutes * 60), 1.0) : 0;
}

bool Pace::finished() const {
  const TrainOptions& o = options_;
  return (o.max_updates > 0 && state_.update >= o.max_updates) || (o.max_epochs > 0 && state_.epoch >= o.max_epochs) ||
         time_passed() >= 1 || (state_.cooldown && state_.update >= state_.cooldown.end) ||
         (o.patience > 0 && state_.worse_validations >= o.patience);
}

void Pace::fill_in(TrainReport& r) const {
  r.tokens_per_second = double(state_.target_tokens - reported_tokens_) / std::max(since(reported_), 1e-9);
  r.progress = progress();
  const double gained = r.progress - progress_at_start_;  // within this session: an earlier one may have been slower
  if (gained > 0) r.seconds_left = since(started_) / gained * (1 - r.progress);
}

}  // namespace hexapla::train
