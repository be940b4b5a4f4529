#pragma once
// Translates lines through one model, or through two in sequence.
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/compute/task_pool.h"
#include "hexapla/translator.h"
#include "serve/languages/served_models.h"

namespace hexapla::serve {

struct LinesTask {
  std::shared_ptr<void> place = {};  // from WaitingLines; declared first, so destroyed last
  Hops hops;
  std::vector<std::string> lines;
  // For the last hop; the first of two gives only the best translation. Alignments refer to lines.
  TranslatorOptions options = {};
  std::vector<bool> aligned = {};             // as in RequestOptions
  std::vector<Constraints> constraints = {};  // for the last hop: one per line, or none
  std::uint64_t client = 0;                   // as in RequestOptions
  std::chrono::milliseconds timeout{0};       // for all hops together; 0: no limit
  std::string late = {};                      // the message if it is over; "": the server's own
  // From the last hop, on its thread.
  std::function<void(std::size_t line, const std::string& so_far)> on_progress = {};
  // Called before each hop with the best known bound of the answer's size, and as RequestOptions::on_size; an exception
  // ends the job.
  std::function<void(const RequestSize& at_most)> on_size = {};
};

struct LinesResult {
  PendingTranslation::Lines lines = {};  // translations of each line, best first
  std::exception_ptr error = {};         // from Translator::submit() or PendingTranslation::get(); null: no error
};

class LinesJob : public std::enable_shared_from_this<LinesJob> {
 public:
  using Then = std::function<void(LinesResult)>;

  // Starts the job; it calls then() once, on a worker. Throws what Translator::submit() throws for
  // the first hop, without calling then().
  static std::shared_ptr<LinesJob> begin(TaskPool& workers, LinesTask task, Then then);
  void cancel();  // from any thread

 private:
  using Clock = std::chrono::steady_clock;
  LinesJob(TaskPool& workers, LinesTask task, Then then);

  void submit();
  void hop_ended();
  void go_on();
  void chain(PendingTranslation::Lines& found);

  TaskPool& workers_;
  LinesTask task_;
  Then then_;
  const Clock::time_point deadline_;
  std::size_t hop_ = 0;
  std::vector<Alignment> before_;  // of each line with its translation so far
  std::mutex mutex_;
  std::optional<PendingTranslation> pending_;
  bool ended_ = false, canceled_ = false;
};

}  // namespace hexapla::serve
