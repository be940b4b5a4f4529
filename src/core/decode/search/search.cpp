#include "decode/search/search.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "decode/search/decode_loop.h"
#include "decode/search/ensemble.h"
#include "decode/strategies/make_strategy.h"
#include "decode/strategies/sampler.h"

namespace hexapla::decode {

namespace {

// All sources at once, in their order.
struct Everything {
  std::vector<size_t> order;
  Queue queue;
  explicit Everything(std::span<const text::Ids> sources)
      : order(sources.size()), queue{sources, order, std::ssize(sources), all_tokens(sources)} {
    std::iota(order.begin(), order.end(), size_t{0});
  }
  static int64_t all_tokens(std::span<const text::Ids> sources) {
    int64_t n = 0;
    for (const text::Ids& s : sources) n += std::ssize(s);
    return n;
  }
};

DecodingSizes sizes(const DecodingCapacity& capacity, const SearchOptions& options) {
  const int64_t hypotheses = capacity.sentences * capacity.widest;
  return {.source_tokens = capacity.tokens,
          .hypotheses = hypotheses,
          .logit_rows = hypotheses,
          .longest = capacity.longest,
          .cache_rows = capacity.cache_rows,
          .candidates = 2 + (options.sampling ? best_of_a_row(*options.sampling) : 2 * capacity.widest)};
}

}  // namespace

void search(Context& cx, const model::Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  const DecodingCapacity capacity(positions(model), queue, options);
  const auto strategy = make_strategy(queue.constraints(), options, special);
  ListQueue list(queue, options, *strategy, done);
  run_loop(cx, model, list, capacity, options);
}

void search(Context& cx, const Ensemble& ensemble, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done) {
  check(options);
  if (options.shortlist) throw UsageError("`shortlist` is for one model, and here are several; leave it out");
  check(ensemble);
  const DecodingCapacity capacity(positions(ensemble), queue, options);
  EnsembleSteps steps(cx, ensemble, capacity);
  const auto strategy = make_strategy(queue.constraints(), options, special);
  ListQueue list(queue, options, *strategy, done);
  DecodeLoop(steps, positions(ensemble), list, capacity).run(cx);
}

std::vector<std::vector<Hypothesis>> search(Context& cx, const model::Transformer& model,
                                            std::span<const text::Ids> sources, const SearchOptions& options,
                                            const SpecialIds& special) {
  Everything all(sources);
  std::vector<std::vector<Hypothesis>> results(sources.size());
  search(cx, model, all.queue, options, special,
         [&](size_t index, std::vector<Hypothesis> found) { results[index] = std::move(found); });
  return results;
}

size_t search_memory(const model::Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype) {
  return decoding_memory(model.config, sizes(DecodingCapacity(positions(model), queue, options), options), dtype);
}

size_t search_memory(const Ensemble& ensemble, const Queue& queue, const SearchOptions& options, DType dtype) {
  const DecodingSizes s = sizes(DecodingCapacity(positions(ensemble), queue, options), options);
  return mixture_memory(ensemble, s.logit_rows, s.candidates, dtype);
}

size_t search_memory(const model::Transformer& model, std::span<const text::Ids> sources, const SearchOptions& options,
                     DType dtype) {
  return search_memory(model, Everything(sources).queue, options, dtype);
}

}  // namespace hexapla::decode
