#include "decode/search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "decode/ensemble.h"
#include "decode/ruled_beam.h"
#include "decode/sampler.h"
#include "decode/worker.h"

namespace hexapla {

namespace {

void check(const SamplingOptions& o, int n_best) {
  if (!(o.temperature > 0) || !std::isfinite(o.temperature))
    throw UsageError(cat("--temperature ", o.temperature,
                         " is out of range; give a number above 0, or leave --sample out for the most probable words"));
  if (o.top_k < 0)
    throw UsageError(cat("--top-k ", o.top_k, " is out of range; give 1 or more tokens, or 0 for all of them"));
  if (!(o.top_p > 0 && o.top_p <= 1))
    throw UsageError(cat("--top-p ", o.top_p, " is out of range; give a share above 0, at most 1"));
  if (n_best < 1 || n_best > 1000)
    throw UsageError(cat("--n-best ", n_best, " is out of range; 1 to 1000 samples can be drawn"));
}

void check_lengths(const SearchOptions& o) {
  if (o.extra_length < 0 || o.extra_length > 1'000'000)
    throw UsageError(cat("--extra-length ", o.extra_length, " is out of range; give 0 to 1000000 tokens"));
  if (o.longest < 0 || o.longest > 1'000'000)
    throw UsageError(cat("--longest ", o.longest, " is out of range; give 1 to 1000000 tokens, or 0 for no limit"));
  if (!(o.longest_ratio >= 0) || !std::isfinite(o.longest_ratio))
    throw UsageError(
        cat("--longest-ratio ", o.longest_ratio, " is out of range; give a number above 0, or 0 for no limit"));
  if (o.min_length < 0 || o.min_length > 1'000'000)
    throw UsageError(cat("--min-length ", o.min_length, " is out of range; give 0 to 1000000 tokens"));
  if (o.longest > 0 && o.min_length > o.longest)
    throw UsageError(cat("--min-length ", o.min_length, " is above --longest ", o.longest, "; give it at most that"));
}

}  // namespace

void check(const SearchOptions& options) {
  if (options.beam_size < 1 || options.beam_size > 1000)
    throw UsageError(cat("--beam-size ", options.beam_size, " is out of range; 1 to 1000 hypotheses can be kept"));
  if (!options.sampling && (options.n_best < 1 || options.n_best > options.beam_size))
    throw UsageError(cat("--n-best ", options.n_best, " is out of range; a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations, raise --beam-size for more"));
  if (options.sampling) check(*options.sampling, options.n_best);
  check_lengths(options);
  if (!std::isfinite(options.word_penalty))
    throw UsageError(
        cat("--word-penalty ", options.word_penalty, " is no number; give what a token takes from a score"));
  if (options.no_repeat_ngram < 0)
    throw UsageError(
        cat("--no-repeat-ngram ", options.no_repeat_ngram, " is out of range; give 1 or more tokens, or 0"));
  if (options.max_stutter < 0)
    throw UsageError(cat("--max-stutter ", options.max_stutter, " is out of range; give 1 or more times, or 0"));
}

SpecialIds special_ids(const Vocabulary& target) { return {target.bos(), target.eos(), target.pad()}; }

namespace {

// All of the sources at a time, in their order.
struct Everything {
  std::vector<size_t> order;
  Queue queue;
  explicit Everything(std::span<const Ids> sources)
      : order(sources.size()), queue{sources, order, static_cast<int64_t>(sources.size()), all_tokens(sources)} {
    std::iota(order.begin(), order.end(), size_t{0});
  }
  static int64_t all_tokens(std::span<const Ids> sources) {
    int64_t n = 0;
    for (const Ids& s : sources) n += static_cast<int64_t>(s.size());
    return n;
  }
};

}  // namespace

namespace {

std::unique_ptr<Chooser> make_chooser(const Queue& queue, const SearchOptions& options, const SpecialIds& special) {
  const bool required =
      std::any_of(queue.requests.begin(), queue.requests.end(), [](const Request& r) { return !r.required.empty(); });
  if (options.sampling && required)
    throw UsageError("words that are required need a beam, and sampling has none; leave one of them out");
  if (options.sampling) return std::make_unique<Sampler>(queue, options, special);
  if (ruled(queue, options)) return std::make_unique<RuledBeam>(queue, options, special);
  return std::make_unique<BeamSearch>(options, special);
}

DecodingSizes sizes(const Room& room, const SearchOptions& options) {
  const int64_t hypotheses = room.sentences * room.widest;
  return {.source_tokens = room.tokens,
          .hypotheses = hypotheses,
          .logit_rows = hypotheses,
          .longest = room.longest,
          .cache_rows = room.cache_rows,
          .candidates = 2 + (options.sampling ? best_of_a_row(*options.sampling) : 2 * room.widest)};
}

int64_t positions(const Ensemble& ensemble) {
  int64_t n = positions(*ensemble.models.at(0));
  for (const Transformer* m : ensemble.models) n = std::min(n, positions(*m));
  return n;
}

}  // namespace

void search(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  const Room room(positions(model), queue, options);
  DecoderSteps steps(cx, model, room.tokens, room.cache_rows);
  const auto chooser = make_chooser(queue, options, special);
  Worker(steps, positions(model), queue, options, *chooser).run(cx, done);
}

void search(Context& cx, const Ensemble& ensemble, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  check(ensemble);
  const Room room(positions(ensemble), queue, options);
  EnsembleSteps steps(cx, ensemble, room);
  const auto chooser = make_chooser(queue, options, special);
  Worker(steps, positions(ensemble), queue, options, *chooser).run(cx, done);
}

std::vector<std::vector<Hypothesis>> search(Context& cx, const Transformer& model, std::span<const Ids> sources,
                                            const SearchOptions& options, const SpecialIds& special) {
  Everything all(sources);
  std::vector<std::vector<Hypothesis>> results(sources.size());
  search(cx, model, all.queue, options, special,
         [&](size_t place, std::vector<Hypothesis> found) { results[place] = std::move(found); });
  return results;
}

size_t search_memory(const Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype) {
  return decoding_memory(model.config, sizes(Room(positions(model), queue, options), options), dtype);
}

size_t search_memory(const Ensemble& ensemble, const Queue& queue, const SearchOptions& options, DType dtype) {
  const DecodingSizes s = sizes(Room(positions(ensemble), queue, options), options);
  const int64_t numbers = s.logit_rows * (2 * ensemble.models.at(0)->config.target_vocab + 2 * s.candidates);
  return static_cast<size_t>(numbers) * size_of(dtype) + 4096;
}

size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options,
                     DType dtype) {
  return search_memory(model, Everything(sources).queue, options, dtype);
}

}  // namespace hexapla
