#pragma once
// A request of Translator::submit() in progress.
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "hexapla/translator.h"
#include "lib/guard.h"
#include "lib/translate/live_service.h"

namespace hexapla {
namespace api {

using Clock = decode::LiveRequest::Clock;

// The time point `time` from now; nothing if it is beyond the clock's range. UsageError: negative.
std::optional<Clock::time_point> end_of(std::chrono::milliseconds time, const std::string& name);

}  // namespace api

// State of a request, shared by its caller and the loop.
struct PendingTranslation::State {
  api::CallerFunctions functions;
  std::function<void(size_t line, const std::string& so_far)> on_progress;
  EndFunction on_end;
  size_t cells = 0;  // of alignments, as on_size was told before the translation
  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by the mutex:
  bool ended = false;       // with these lines or this error
  bool told = false;        // on_end has returned, too
  std::thread::id telling;  // the thread that calls on_end
  Lines lines;
  std::exception_ptr error;
  std::weak_ptr<decode::LiveTranslator> live;
  size_t name = 0;
  const api::LiveService* service = nullptr;  // only compared with the current thread's; may be dangling

  // Requires the mutex. on_end may have the result before all others.
  bool over() const { return told || (ended && telling == std::this_thread::get_id()); }
  // Waits until the request is over, or until `end`. -> whether it is over. Requires the mutex.
  // UsageError: called on the thread that would have to end the request.
  bool wait_until(std::unique_lock<std::mutex>& lock, const std::optional<api::Clock::time_point>& end) {
    if (!over() && service->within())
      throw UsageError(
          "get() and wait_for() cannot wait inside of a callback of the same translator, whose thread would wait for "
          "itself: ask ready(), or wait in another thread");
    const auto is_over = [&] { return over(); };
    if (end) return changed.wait_until(lock, *end, is_over);
    changed.wait(lock, is_over);
    return true;
  }
  void end(const PendingTranslation& self, Lines found, std::exception_ptr why) {
    {
      const std::lock_guard lock(mutex);
      ended = true;
      telling = std::this_thread::get_id();
      lines = std::move(found);
      error = std::move(why);
    }
    std::exception_ptr thrown;
    if (on_end) try {
        functions.call(on_end, self);
      } catch (...) {
        thrown = std::current_exception();
      }
    {
      const std::lock_guard lock(mutex);
      told = true;
      if (thrown) error = thrown;
    }
    changed.notify_all();
  }
};

}  // namespace hexapla
