#include "serve/work/request_memory.h"

#include <algorithm>

#include "base/error.h"
#include "serve/http/message.h"
#include "serve/work/lines_job.h"

namespace hexapla::serve {
namespace {

// Each is a little more than the measured peak, when translations and their JSON exist at the same
// time.
constexpr std::size_t per_byte_of_body = 12;  // the body twice, its JSON, lines, sentences, ids
constexpr std::size_t per_part = 1000, per_phrase = 200, per_byte_of_phrase = 6;
constexpr std::size_t per_translation = 1500, per_token = 200, per_cell = 44;
constexpr std::size_t per_number = 64;  // in a tensor
constexpr std::size_t per_answer = 1 << 20;

std::size_t cost_of(const Constraints& asked) {
  std::size_t bytes = per_byte_of_phrase * asked.prefix.size();
  for (const auto* phrases : {&asked.require, &asked.forbid})
    for (const std::string& phrase : *phrases) bytes += per_phrase + per_byte_of_phrase * phrase.size();
  return bytes;
}

// Tokens at which a line is divided; the smallest limit of all models.
int least_part(const LinesTask& task) {
  int least = task.options.max_length.value_or(512);
  if (!task.options.max_length)
    for (const auto& model : task.hops) least = std::min(least, *model->translator.complete().max_length);
  return least;
}

std::string mebibytes(std::size_t bytes) { return cat((bytes + (1 << 20) - 1) >> 20, " MiB"); }

}  // namespace

std::size_t cost_of_body(std::size_t bytes) { return per_byte_of_body * bytes; }

// An upper bound: the number of parts is known only after dividing at ends of sentences; a token
// has at least one byte.
std::size_t cost_of_parts(const LinesTask& task) {
  const auto longest = static_cast<std::size_t>(std::max(least_part(task), 2));
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < task.lines.size(); ++i) {
    const std::size_t parts = task.lines[i].size() < longest ? 1 : task.lines[i].size() / (longest - 1) * 2;
    bytes += parts * (per_part + (i < task.constraints.size() ? cost_of(task.constraints[i]) : 0));
  }
  return bytes;
}

std::size_t cost_of_answer(const RequestSize& most) {
  return per_translation * most.translations + per_token * most.tokens + per_cell * most.alignment_cells;
}

std::size_t cost_of_inspection(const nlohmann::json& request) {
  const auto tensors = request.find("tensors");
  const bool some = tensors != request.end() && !tensors->empty(), top = request.contains("top");
  return per_answer + (some ? per_number * kMostNumbers : 0) + (top ? 4 * per_token * kLongestSide * kMostTop : 0);
}

std::size_t cost_of_score() { return per_answer; }
std::size_t cost_of_runs() { return 16 * per_answer; }

// Each step lists the tokens of all hypotheses so far.
std::size_t cost_of_trace(const nlohmann::json&) {
  constexpr std::size_t steps = kLongestSide, beam = kWidestBeam, per_candidate = 1200;
  return per_answer + steps * beam * (2 * per_candidate + steps / 2 * per_token);
}

std::shared_ptr<void> RequestMemory::take(std::size_t bytes, const std::string& what, const std::string& less) {
  if (bytes > most_of_one())
    throw HttpError(413, cat(what, " may take ", mebibytes(bytes), " of memory, but one request may have ",
                             mebibytes(most_of_one()), ": ", less, ", or start the server with more --memory"));
  std::size_t now = *taken_;
  do {
    if (bytes > most_ - now)
      throw HttpError(503, "the server is short of memory; try again in a while", {{"Retry-After", "1"}});
  } while (!taken_->compare_exchange_weak(now, now + bytes));
  return {taken_.get(), [taken = taken_, bytes](void*) { *taken -= bytes; }};
}

}  // namespace hexapla::serve
