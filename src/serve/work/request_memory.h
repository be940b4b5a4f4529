#pragma once
// The memory that requests cost, in bytes, computed before any work is done for them, and how much there is for all.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "hexapla/translator.h"
#include "serve/look/look.h"

namespace hexapla::serve {

struct LinesTask;

// The cost of a body, its parameters and lines, from its arrival on.
std::size_t cost_of_body(std::size_t bytes);
// The cost of the parts that long lines are divided into, each with the constraints of its line.
std::size_t cost_of_parts(const LinesTask& task);
// The cost of translations and of the text of the answer.
std::size_t cost_of_answer(const RequestSize& most);
// The cost of translations that were kept, and of the text of the answer. bytes: TranslationCache::bytes_of().
inline std::size_t cost_of_known(std::size_t bytes) { return 5 * bytes; }
// The cost of requests for inspect() and trace(), of a score, and of the logs of trainings.
std::size_t cost_of_inspection(const nlohmann::json& request);
std::size_t cost_of_trace(const nlohmann::json& request);
std::size_t cost_of_score();
std::size_t cost_of_runs();

class RequestMemory {
 public:
  // bytes: of all requests on their way and of their answers, until these have been sent.
  explicit RequestMemory(std::size_t bytes) : most_(bytes) {}

  // One request has no more than a quarter, and no more than 1 GiB.
  std::size_t most_of_one() const { return std::min(most_ / 4, std::size_t{1} << 30); }
  // These bytes are taken until the returned object goes. HttpError 413: more than one request may have; `what` needs
  // them ("200 lines with `n_best` 16"), `less` is the remedy. 503 with Retry-After: more than are free.
  std::shared_ptr<void> take(std::size_t bytes, const std::string& what, const std::string& less);
  std::size_t taken() const { return *taken_; }

 private:
  const std::size_t most_;
  const std::shared_ptr<std::atomic<std::size_t>> taken_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace hexapla::serve
