#include "decode/search.h"

#include <numeric>

#include "decode/beam_search.h"
#include "decode/worker.h"

namespace hexapla {

void check(const SearchOptions& options) {
  if (options.beam_size < 1 || options.beam_size > 1000)
    throw UsageError(cat("--beam-size ", options.beam_size, " is out of range; 1 to 1000 hypotheses can be kept"));
  if (options.n_best < 1 || options.n_best > options.beam_size)
    throw UsageError(cat("--n-best ", options.n_best, " is out of range; a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations, raise --beam-size for more"));
  if (options.extra_length < 0 || options.extra_length > 1'000'000)
    throw UsageError(cat("--extra-length ", options.extra_length, " is out of range; give 0 to 1000000 tokens"));
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

void search(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  const Room room(model, queue, options);
  DecoderSteps steps(cx, model, room.tokens, room.cache_rows);
  BeamSearch beam(options, special);
  Worker(steps, model, queue, options, beam).run(cx, done);
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
  const Room room(model, queue, options);
  const int64_t hypotheses = room.sentences * options.beam_size;
  return decoding_memory(model.config,
                         {.source_tokens = room.tokens,
                          .hypotheses = hypotheses,
                          .logit_rows = hypotheses,
                          .longest = room.longest,
                          .cache_rows = room.cache_rows,
                          .candidates = 2 * options.beam_size + 2},
                         dtype);
}

size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options,
                     DType dtype) {
  return search_memory(model, Everything(sources).queue, options, dtype);
}

}  // namespace hexapla
