#include "decode/search.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "decode/ensemble.h"
#include "decode/option_ranges.h"
#include "decode/ruled_beam.h"
#include "decode/sampler.h"
#include "decode/worker.h"

namespace hexapla {

namespace {

void check(const SamplingOptions& o) {
  ranges::temperature.check("temperature", o.temperature);
  ranges::top_k.check("top-k", o.top_k);
  ranges::top_p.check("top-p", o.top_p);
}

void check_lengths(const SearchOptions& o) {
  ranges::more_tokens.check("extra-length", o.extra_length);
  ranges::more_tokens.check("longest", o.longest);
  ranges::longest_ratio.check("longest-ratio", o.longest_ratio);
  ranges::more_tokens.check("min-length", o.min_length);
  if (o.longest > 0 && o.min_length > o.longest)
    throw UsageError(cat("`min-length` ", o.min_length, " is above `longest` ", o.longest, "; give it at most that"));
}

}  // namespace

void check(const SearchOptions& options) {
  ranges::beam.check("beam-size", options.beam_size);
  ranges::n_best.check("n-best", options.n_best);
  if (!options.sampling && options.n_best > options.beam_size)
    throw UsageError(cat("`n-best` is ", options.n_best, ", but a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations; raise `beam-size` for more"));
  if (options.sampling) check(*options.sampling);
  check_lengths(options);
  ranges::word_penalty.check("word-penalty", options.word_penalty);
  ranges::rule_tokens.check("no-repeat-ngram", options.no_repeat_ngram);
  ranges::rule_tokens.check("max-stutter", options.max_stutter);
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
