#include "lib/translate/live_service.h"

#include <algorithm>

#include "base/compute/pages.h"
#include "base/error.h"
#include "lib/guard.h"

namespace hexapla::api {

void check_for_requests(const decode::DecodingOptions& search) {
  search.translate_options();
  const decode::LiveLimits most;
  if (search.beam_size > most.widest || search.max_length > most.longest_source)
    throw UsageError(
        cat("a server takes at most `beam-size` ", most.widest, " and `max-length` ", most.longest_source));
}

LiveService::Running::Running(const decode::OpenModel& first, const decode::Ensemble& ensemble,
                              const decode::LiveLimits& limits, int count)
    : live(std::make_shared<decode::LiveTranslator>(ensemble, first.source, first.target, limits)) {
  for (int i = 0; i < count; ++i) loops.emplace_back(first, *live);
  // Each loop takes this when it begins: its stack, and for an ensemble the memory of its models.
  constexpr size_t stack = size_t{16} << 20;
  const size_t members = first.backend->host_memory() ? live->loop_memory() - live->arena_memory() : 0;
  const Pages room(static_cast<size_t>(count) * (stack + members));
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
  running_ = begun();
  return *running_;
}

// Fewer loops, then smaller ones, until there is memory for them.
std::unique_ptr<LiveService::Running> LiveService::begun() const {
  decode::LiveLimits limits;
  int loops = std::clamp(threads_, 1, kMostLoops);
  const auto take_less = [&] {
    if (loops == 1) return limits.reduce();
    loops /= 2;
    return true;
  };
  for (;;) try {
      auto all = std::make_unique<Running>(models_.members.front(), ensemble_, limits.shared_by(loops), loops);
      int i = 0;
      for (Loop& loop : all->loops) begin(*all, loop, threads_ / loops + (i++ < threads_ % loops ? 1 : 0));
      return all;
    } catch (const OutOfMemory&) {
      if (!take_less()) throw out_of_memory_for_requests();
    } catch (const std::bad_alloc&) {
      if (!take_less()) throw out_of_memory_for_requests();
    } catch (const std::system_error& e) {  // of a thread
      if (e.code() != std::errc::resource_unavailable_try_again || !take_less()) throw;
    }
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
