#include "api/translate/live_service.h"

#include <algorithm>

#include "base/error.h"

namespace hexapla::api {

void check_for_requests(const decode::BeamOptions& search) {
  search.translate_options();
  const decode::LiveLimits most;
  if (search.beam_size > most.widest || search.max_length > most.longest_source)
    throw UsageError(
        cat("a server takes at most `beam-size` ", most.widest, " and `max-length` ", most.longest_source));
}

LiveService::Running::Running(const decode::OpenModel& first, const decode::Ensemble& ensemble, int count)
    : live(std::make_shared<decode::LiveTranslator>(ensemble, first.source, first.target,
                                                    decode::LiveLimits().shared_by(count))) {
  for (int i = 0; i < count; ++i) loops.emplace_back(first, *live);
}

LiveService::Running::~Running() {
  live->close(false);
  for (Loop& loop : loops)
    if (loop.thread.joinable()) loop.thread.join();
}

LiveService::~LiveService() {
  // A forked child has no loops: joining them would never return.
  if (process_ == getpid()) return;
  static_cast<void>(running_.release());
  for (auto& failed : failed_) static_cast<void>(failed.release());
}

LiveService::Running& LiveService::running() {
  if (running_) return *running_;
  process_ = getpid();
  const int loops = std::clamp(threads_, 1, kMostLoops);
  auto all = std::make_unique<Running>(models_.members.front(), ensemble_, loops);
  int i = 0;
  for (Loop& loop : all->loops) begin(*all, loop, threads_ / loops + (i++ < threads_ % loops ? 1 : 0));
  running_ = std::move(all);
  return *running_;
}

void LiveService::begin(Running& r, Loop& loop, int threads) const {
  loop.thread = std::thread([this, &r, &loop, threads] {
    serving = this;
    try {
      use_threads(threads);
      r.live->serve(loop.cx);
      return;
    } catch (...) {  // the requests have been told
      r.failed = true;
    }
    r.live->close(false);
  });
}

std::pair<std::weak_ptr<decode::LiveTranslator>, size_t> LiveService::submit(decode::TextRequest request) {
  // Destroyed without the mutex, because on_end of their requests may submit others.
  std::vector<std::unique_ptr<Running>> failed;
  std::shared_ptr<decode::LiveTranslator> live;
  {
    const std::lock_guard lock(mutex_);
    if (running_ && process_ != getpid())
      throw RunError("requests cannot be submitted to a translator of the parent process; open one after fork()");
    if (running_ && running_->failed) failed_.push_back(std::move(running_));
    if (!within()) failed.swap(failed_);
    live = running().live;
  }
  const size_t name = live->submit(std::move(request));
  return {live, name};
}

}  // namespace hexapla::api
