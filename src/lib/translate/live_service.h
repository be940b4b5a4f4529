#pragma once
// The threads that translate the requests of Translator::submit().
#include <unistd.h>

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "base/compute/parallel.h"
#include "decode/live/live_translator.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/decoding_options.h"

namespace hexapla::api {

// UsageError: options that contradict each other, or that no request may have.
void check_for_requests(const decode::DecodingOptions& search);

class LiveService {
 public:
  // Borrows the models. Uses as many threads as the thread that constructs it: one per decode loop
  // up to kMostLoops; additional threads are distributed among the loops.
  LiveService(const decode::OpenEnsemble& models, const decode::Ensemble& ensemble)
      : models_(models), ensemble_(ensemble), threads_(threads()) {}
  ~LiveService();  // cancels the remaining requests
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  static constexpr int kMostLoops = 16;

  // Errors as LiveTranslator::submit(); OutOfMemory: the first request finds no memory for a loop. -> the translator
  // and the request's name, for canceling it
  std::pair<std::weak_ptr<decode::LiveTranslator>, size_t> submit(decode::TextRequest request);

  // Whether the calling thread is one of the loops, in a callback: it cannot wait for itself.
  bool within() const { return serving == this; }

 private:
  struct Loop {
    Arena arena;
    Context cx;
    std::thread thread;

    Loop(const decode::OpenModel& first, const decode::LiveTranslator& live)
        : arena(make_arena(*first.backend, live.arena_memory())), cx{*first.backend, arena, live.dtype()} {}
  };
  // A translator with its loops.
  struct Running {
    std::shared_ptr<decode::LiveTranslator> live;
    std::list<Loop> loops;
    std::atomic<bool> failed = false;  // a loop has ended with an exception

    // OutOfMemory, std::bad_alloc: not even the addresses.
    Running(const decode::OpenModel& first, const decode::Ensemble& ensemble, const decode::LiveLimits& limits,
            int loops);
    ~Running();
  };
  Running& running();  // requires mutex_
  std::unique_ptr<Running> begun() const;
  void begin(Running& r, Loop& loop, int threads) const;

  inline static thread_local const LiveService* serving = nullptr;  // the service whose loop runs on this thread

  const decode::OpenEnsemble& models_;
  decode::Ensemble ensemble_;
  const int threads_;
  std::mutex mutex_;
  std::unique_ptr<Running> running_;              // created by the first request
  std::vector<std::unique_ptr<Running>> failed_;  // could not be destroyed from a callback on one of their loops
  pid_t process_ = 0;                             // that started the loops
};

}  // namespace hexapla::api
