#include "train/plan/options/schedule.h"

#include <numbers>

#include "base/error.h"

namespace hexapla::train {
namespace {

// Progress of a decay: 0 at the end of the warm-up, 1 from its own end on.
double passed(double step, int64_t warmup, int64_t end) {
  if (step >= static_cast<double>(end)) return 1;
  return (step - static_cast<double>(warmup)) / static_cast<double>(end - warmup);
}

}  // namespace

double LinearDecay::after(double step) const { return least + (peak - least) * (1 - passed(step, warmup, end)); }

double CosineDecay::after(double step) const {
  return least + (peak - least) * (1 + std::cos(std::numbers::pi * passed(step, warmup, end))) / 2;
}

double learning_rate(const Schedule& schedule, int64_t step) {
  const double s = static_cast<double>(step);
  return std::visit(
      [&](const auto& kind) {
        if (step < kind.warmup) return kind.peak * (s / static_cast<double>(kind.warmup));
        return kind.after(s);
      },
      schedule);
}

double peak_learning_rate(const TrainOptions& o) {
  if (o.lr > 0) return o.lr;
  return o.lr_factor / std::sqrt(static_cast<double>(o.architecture.d_model) * static_cast<double>(o.warmup));
}

int64_t end_of_decay(const TrainOptions& o) { return o.decay_updates > 0 ? o.decay_updates : o.max_updates; }

bool decays(const TrainOptions& o) { return o.schedule == "linear" || o.schedule == "cosine" || o.cooldown > 0; }

Cooldown given_cooldown(const TrainOptions& o) {
  if (o.cooldown == 0) return {};
  const int64_t end = end_of_decay(o);
  if (end < o.cooldown)
    throw UsageError(cat("`cooldown` ", o.cooldown, " needs a run of at least as many updates, but this one ends at ",
                         end > 0 ? cat(end) : "(none given)", "; give `max-updates`, or lower `cooldown`"));
  return {end - o.cooldown, end};
}

Schedule make_schedule(const TrainOptions& o) {
  const double peak = peak_learning_rate(o);
  if (o.schedule == "inverse-sqrt") return InverseSquareRoot{peak, o.warmup};
  if (o.schedule == "constant" || o.schedule == "plateau") return ConstantRate{peak, o.warmup};
  const int64_t end = end_of_decay(o);
  if (end <= o.warmup)
    throw UsageError(cat("`schedule` ", o.schedule, " decays until update ", end > 0 ? cat(end) : "(none given)",
                         ", but must end after `warmup` ", o.warmup, "; give `decay-updates`, or `max-updates`"));
  if (o.schedule == "linear") return LinearDecay{peak, o.warmup, end, o.min_lr};
  HEXAPLA_CHECK(o.schedule == "cosine", "unknown schedule '", o.schedule, "'");
  return CosineDecay{peak, o.warmup, end, o.min_lr};
}

}  // namespace hexapla::train
