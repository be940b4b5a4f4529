#include "lib/translate/request_state.h"

namespace hexapla {

std::optional<api::Clock::time_point> api::end_of(std::chrono::milliseconds time, const std::string& name) {
  if (time.count() < 0)
    throw UsageError(cat("`", name, "` is ", time.count(), " ms, but must be 0 or more"), name, cat(time.count()));
  const auto now = Clock::now();
  if (time >= std::chrono::floor<std::chrono::milliseconds>(Clock::time_point::max() - now)) return {};
  return now + time;
}

PendingTranslation::Lines PendingTranslation::get() const {
  return state_->functions.guard([&] {
    std::unique_lock lock(state_->mutex);
    state_->wait_until(lock, {});
    if (state_->error) std::rethrow_exception(state_->error);
    return state_->lines;
  });
}

bool PendingTranslation::ready() const {
  const std::lock_guard lock(state_->mutex);
  return state_->over();
}

bool PendingTranslation::wait_for(std::chrono::milliseconds time) const {
  return api::guarded([&] {
    const auto end = api::end_of(time, "time");
    std::unique_lock lock(state_->mutex);
    return time.count() == 0 ? state_->over() : state_->wait_until(lock, end);
  });
}

void PendingTranslation::cancel() const {
  std::shared_ptr<decode::LiveTranslator> live;
  size_t name = 0;
  {
    const std::lock_guard lock(state_->mutex);
    live = state_->live.lock();
    name = state_->name;
  }
  if (live) live->cancel(name);
}

}  // namespace hexapla
