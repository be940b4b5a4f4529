#pragma once
// Lines on their way through a model, or through two of them.
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hexapla/translator.h"
#include "serve/models/served_models.h"
#include "serve/work/workers.h"

namespace hexapla::serve {

struct LinesTask {
  std::shared_ptr<void> place = {};  // of WaitingLines; goes last
  Hops hops;
  std::vector<std::string> lines;
  TranslatorOptions options =
      {};  // of the last hop; those before it give the best translation alone. Alignments are about `lines`
  std::vector<bool> aligned = {};             // as RequestOptions has it
  std::vector<Constraints> constraints = {};  // of the last hop: one per line, or none
  std::uint64_t client = 0;                   // as RequestOptions has it
  std::chrono::milliseconds timeout{0};       // for all hops together; 0: none
  std::function<void(std::size_t line, const std::string& so_far)> on_progress =
      {};  // of the last hop; from its thread
  // Before each hop, with the size of the answer as far as it can be told; what it throws ends the job.
  std::function<void(const RequestSize& at_most)> on_size = {};
};

struct LinesResult {
  PendingTranslation::Lines lines = {};  // for each line its translations, best first
  std::exception_ptr error = {};  // of Translator::submit() and of PendingTranslation::get(); null: there is none
};

class LinesJob : public std::enable_shared_from_this<LinesJob> {
 public:
  using Then = std::function<void(LinesResult)>;

  // Begins, and calls then() once, in one of the workers. Errors of Translator::submit() for the first hop come out,
  // and then() is not called.
  static std::shared_ptr<LinesJob> begin(Workers& workers, LinesTask task, Then then);
  void cancel();  // from any thread

 private:
  using Clock = std::chrono::steady_clock;
  LinesJob(Workers& workers, LinesTask task, Then then);

  void submit();
  void hop_ended();
  void go_on();
  void chain(PendingTranslation::Lines& found);

  Workers& workers_;
  LinesTask task_;
  Then then_;
  const Clock::time_point deadline_;
  std::size_t hop_ = 0;
  std::vector<Alignment> before_;  // of each line and its translation so far
  std::mutex mutex_;
  std::optional<PendingTranslation> pending_;
  bool ended_ = false, canceled_ = false;
};

}  // namespace hexapla::serve
