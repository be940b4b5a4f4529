#pragma once
// The thread that translates what Translator::submit() was given.
#include <unistd.h>

#include <memory>
#include <mutex>
#include <thread>

#include "base/compute/parallel.h"
#include "decode/live/live_translator.h"
#include "models/open_model.h"

namespace hexapla::api {

class LiveService {
 public:
  // Borrows the models. Computes with as many threads as the thread that makes it.
  LiveService(const models::OpenEnsemble& models, const decode::Ensemble& ensemble)
      : models_(models), ensemble_(ensemble), threads_(threads()) {}
  ~LiveService();  // what is left is canceled
  LiveService(const LiveService&) = delete;
  LiveService& operator=(const LiveService&) = delete;

  // Errors as LiveTranslator::submit(). -> where the request can be canceled, by its name
  std::pair<std::weak_ptr<decode::LiveTranslator>, size_t> submit(decode::TextRequest request);

 private:
  // One translator with its loop.
  struct Running {
    std::shared_ptr<decode::LiveTranslator> live;
    Arena arena;
    Context cx;
    std::thread loop;
    bool failed = false;  // the loop has ended of itself; under mutex_

    Running(const models::OpenModel& first, const decode::Ensemble& ensemble);
    ~Running();
  };
  Running& running();  // under mutex_

  const models::OpenEnsemble& models_;
  decode::Ensemble ensemble_;
  const int threads_;
  std::mutex mutex_;
  std::unique_ptr<Running> running_;  // from the first request on
  pid_t process_ = 0;                 // that the loop belongs to
};

}  // namespace hexapla::api
