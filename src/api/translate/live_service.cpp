#include "api/translate/live_service.h"

#include "base/error.h"

namespace hexapla::api {

LiveService::Running::Running(const models::OpenModel& first, const decode::Ensemble& ensemble)
    : live(std::make_shared<decode::LiveTranslator>(ensemble, first.source, first.target)),
      arena(live->arena_memory()),
      cx{*first.backend, arena, live->dtype()} {}

LiveService::Running::~Running() {
  live->close(false);
  if (loop.joinable()) loop.join();
}

LiveService::~LiveService() {
  // In a child of the process that began it there is no loop: whoever waited for it would wait for ever.
  if (running_ && process_ != getpid()) static_cast<void>(running_.release());
}

LiveService::Running& LiveService::running() {
  if (running_) return *running_;
  process_ = getpid();
  running_ = std::make_unique<Running>(models_.members.front(), ensemble_);
  running_->loop = std::thread([this, &r = *running_] {
    try {
      use_threads(threads_);
      r.live->serve(r.cx);
    } catch (...) {  // those on their way have been told
      const std::lock_guard lock(mutex_);
      r.failed = true;
    }
    r.live->close(false);
  });
  return *running_;
}

std::pair<std::weak_ptr<decode::LiveTranslator>, size_t> LiveService::submit(decode::TextRequest request) {
  std::unique_ptr<Running> failed;  // goes when the mutex is free: its requests' ends may submit others
  std::shared_ptr<decode::LiveTranslator> live;
  {
    const std::lock_guard lock(mutex_);
    if (running_ && process_ != getpid())
      throw RunError("requests cannot be submitted to a translator of the parent process; open one after fork()");
    if (running_ && running_->failed) failed = std::move(running_);
    live = running().live;
  }
  const size_t name = live->submit(std::move(request));
  return {live, name};
}

}  // namespace hexapla::api
