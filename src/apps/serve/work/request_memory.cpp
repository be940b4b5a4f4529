#include "serve/work/request_memory.h"

#include <malloc.h>

#include <algorithm>

#include "base/error.h"
#include "serve/http/message.h"
#include "serve/work/lines_job.h"

namespace hexapla::serve {
namespace {

// Each is a little more than the measured peak, when translations and their JSON exist at the same
// time.
constexpr std::size_t kPerByteOfBody = 12;  // the body twice, its JSON, lines, sentences, ids
constexpr std::size_t kPerPart = 1000, kPerPhrase = 200, kPerByteOfPhrase = 6;
constexpr std::size_t kPerTranslation = 1500, kPerToken = 200, kPerCell = 44;
constexpr std::size_t kPerNumber = 64;  // in a tensor
constexpr std::size_t kPerAnswer = 1 << 20;

std::size_t cost_of(const Constraints& asked) {
  std::size_t bytes = kPerByteOfPhrase * asked.prefix.size();
  for (const auto* phrases : {&asked.require, &asked.forbid})
    for (const std::string& phrase : *phrases) bytes += kPerPhrase + kPerByteOfPhrase * phrase.size();
  return bytes;
}

// Tokens at which a line is divided; the smallest limit of all models.
int least_part(const LinesTask& task) {
  int least = task.options.max_length.value_or(512);
  if (!task.options.max_length)
    for (const auto& model : task.hops) least = std::min(least, *model->translator.complete().max_length);
  return least;
}

constexpr std::size_t kWorthTrimming = 16 << 20;

// The C library keeps what small blocks of a page or a document leave between others, hundreds of MiB after an attack.
// Whoever held much gives it back to the system.
struct Held {
  Account::Share share;
  std::size_t bytes;

  Held(Account::Share its, std::size_t size) : share(std::move(its)), bytes(size) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
#ifdef __GLIBC__
    if (bytes >= kWorthTrimming) malloc_trim(0);
#endif
  }
};

std::string mebibytes(std::size_t bytes) { return cat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

}  // namespace

std::size_t cost_of_body(std::size_t bytes) { return kPerByteOfBody * bytes; }

// An upper bound: the number of parts is known only after dividing at ends of sentences; a token
// has at least one byte.
std::size_t cost_of_parts(const LinesTask& task) {
  const auto longest = static_cast<std::size_t>(std::max(least_part(task), 2));
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < task.lines.size(); ++i) {
    const std::size_t parts = task.lines[i].size() < longest ? 1 : task.lines[i].size() / (longest - 1) * 2;
    bytes += parts * (kPerPart + (i < task.constraints.size() ? cost_of(task.constraints[i]) : 0));
  }
  return bytes;
}

std::size_t cost_of_answer(const RequestSize& most) {
  return kPerTranslation * most.translations + kPerToken * most.tokens + kPerCell * most.alignment_cells;
}

std::size_t cost_of_inspection(const nlohmann::json& request) {
  const auto tensors = request.find("tensors");
  const bool some = tensors != request.end() && !tensors->empty(), top = request.contains("top");
  return kPerAnswer + (some ? kPerNumber * kMostNumbers : 0) + (top ? 4 * kPerToken * kLongestSide * kMostTop : 0);
}

std::size_t cost_of_score() { return kPerAnswer; }
std::size_t cost_of_runs() { return 16 * kPerAnswer; }

// Each step lists the tokens of all hypotheses so far.
std::size_t cost_of_trace(const nlohmann::json&) {
  constexpr std::size_t steps = kLongestSide, beam = kWidestBeam, per_candidate = 1200;
  return kPerAnswer + steps * beam * (2 * per_candidate + steps / 2 * kPerToken);
}

std::shared_ptr<void> RequestMemory::take(std::size_t bytes, const std::string& what, const std::string& less) {
  if (bytes > most_of_one())
    throw HttpError(413, cat(what, " may take ", mebibytes(bytes), " of memory, but one request may have ",
                             mebibytes(most_of_one()), ": ", less, ", or start the server with more --memory"));
  auto taken = taken_.take(bytes, most_);
  if (!taken) throw HttpError(503, "the server is short of memory; try again in a while", {{"Retry-After", "1"}});
  return std::make_shared<Held>(*std::move(taken), bytes);
}

}  // namespace hexapla::serve
