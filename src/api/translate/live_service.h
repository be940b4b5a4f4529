#pragma once
// The threads that translate what Translator::submit() was given.
#include <unistd.h>

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "base/compute/parallel.h"
#include "decode/live/live_translator.h"
#include "decode/opened/open_model.h"

namespace hexapla::api {

class LiveService {
 public:
  // Borrows the models. Computes with as many threads as the thread that makes it: each has a decode loop of its own,
  // up to `most_loops`; beyond that the threads are shared out among the loops.
  LiveService(const models::OpenEnsemble& models, const decode::Ensemble& ensemble)
      : models_(models), ensemble_(ensemble), threads_(threads()) {}
  ~LiveService();  // what is left is canceled
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  static constexpr int most_loops = 16;

  // Errors as LiveTranslator::submit(). -> where the request can be canceled, by its name
  std::pair<std::weak_ptr<decode::LiveTranslator>, size_t> submit(decode::TextRequest request);

  // Whether the calling thread is one of the loops, which is telling a caller something: it cannot wait for itself.
  bool within() const { return serving == this; }

 private:
  struct Loop {
    Arena arena;
    Context cx;
    std::thread thread;

    Loop(const models::OpenModel& first, const decode::LiveTranslator& live)
        : arena(live.arena_memory()), cx{*first.backend, arena, live.dtype()} {}
  };
  // One translator with its loops.
  struct Running {
    std::shared_ptr<decode::LiveTranslator> live;
    std::list<Loop> loops;
    std::atomic<bool> failed = false;  // a loop has ended of itself

    Running(const models::OpenModel& first, const decode::Ensemble& ensemble, int loops);
    ~Running();
  };
  Running& running();  // under mutex_
  void begin(Running& r, Loop& loop, int threads) const;

  inline static thread_local const LiveService* serving = nullptr;  // whose loop this thread is

  const models::OpenEnsemble& models_;
  decode::Ensemble ensemble_;
  const int threads_;
  std::mutex mutex_;
  std::unique_ptr<Running> running_;              // from the first request on
  std::vector<std::unique_ptr<Running>> failed_;  // that could not go while one of their loops was asking
  pid_t process_ = 0;                             // that the loops belong to
};

}  // namespace hexapla::api
