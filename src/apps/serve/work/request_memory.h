#pragma once
// Estimates the memory of a request in bytes before any work is done, and limits the total.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "hexapla/translator.h"
#include "serve/look/look.h"
#include "serve/work/account.h"

namespace hexapla::serve {

struct LinesTask;

// A body, its parameters and lines, from arrival on.
std::size_t cost_of_body(std::size_t bytes);
// The parts of long lines, each with the constraints of its line.
std::size_t cost_of_parts(const LinesTask& task);
// Translations and the text of the answer.
std::size_t cost_of_answer(const RequestSize& most);
// Cached translations and the text of the answer. bytes: TranslationCache::bytes_of().
inline std::size_t cost_of_known(std::size_t bytes) { return 5 * bytes; }
// inspect(), trace(), a score, and the logs of training runs.
std::size_t cost_of_inspection(const nlohmann::json& request);
std::size_t cost_of_trace(const nlohmann::json& request);
std::size_t cost_of_score();
std::size_t cost_of_runs();

class RequestMemory {
 public:
  // bytes: limit of all pending requests and their answers, until these have been sent.
  explicit RequestMemory(std::size_t bytes) : most_(bytes) {}

  // One request gets at most a quarter, and at most 1 GiB.
  std::size_t most_of_one() const { return std::min(most_ / 4, std::size_t{1} << 30); }
  // Reserves bytes until the returned object is destroyed. HttpError 413: more than one request may
  // have, because of `what` ("200 lines with `n_best` 16"); `less` is the remedy. 503 with
  // Retry-After: not enough memory is free.
  std::shared_ptr<void> take(std::size_t bytes, const std::string& what, const std::string& less);
  std::size_t taken() const { return taken_.sum(); }

 private:
  const std::size_t most_;
  Account taken_;
};

}  // namespace hexapla::serve
