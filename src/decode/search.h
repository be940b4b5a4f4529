#pragma once
// From a batch of source sentences to their best translations: greedy decoding and beam search, section 6.1.
// The result of a sentence does not depend on the other sentences of the batch, their order or the threads.
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "decode/length_penalty.h"
#include "decode/steps.h"

namespace hexapla {

struct SearchOptions {
  int beam_size = 4;                              // section 6.1
  LengthPenalty length_penalty = PaperPenalty{};  // alpha 0.6
  int n_best = 1;                                 // translations returned for each sentence, at most beam_size
  int64_t extra_length = 50;                      // a translation has at most so many tokens more than its source
  bool token_scores = false;                      // fill Hypothesis::token_scores
};
void check(const SearchOptions& options);  // UsageError: a number out of range

struct Hypothesis {
  Ids ids;                          // without <s> and </s>
  double score = 0;                 // log-probability: the sum over the tokens and </s>
  double normalised = 0;            // score / divisor(length penalty, tokens with </s>); the order of hypotheses
  std::vector<float> token_scores;  // log-probability of each token and of </s>; only where it is asked for
  bool operator==(const Hypothesis&) const = default;
};

// The ids that decoding knows: it starts with <s>, ends with </s>, and writes neither <s> nor padding.
struct SpecialIds {
  int32_t bos, eos, pad;  // pad -1: there is none
};
SpecialIds special_ids(const Vocabulary& target);

// Sentences that wait to be translated: ids that end with </s>. Several workers may draw on one of these.
struct Queue {
  std::span<const Ids> sources;
  std::span<const size_t> order;  // places in sources, in the order in which they are to be begun
  int64_t sentences;              // translated at a time by one worker, at most
  int64_t tokens;                 // of their sources, at most; a longer one stands alone
  std::atomic<size_t> next = 0;   // of order
};

// Takes sentences until none is left; one that is done makes room for others at once, or nearly: encoding a few
// together is faster. done(place in sources, hypotheses) is called for each, from the worker's thread: hypotheses best
// first, at most n_best (fewer only if the vocabulary is too small for as many). Every step extends each live
// hypothesis by every token; of all these candidates of a sentence, equal scores by lower beam and lower id, the best
// beam_size go on, and one that ends with </s> is finished if it is among the first beam_size. A sentence is done when
// it has beam_size finished hypotheses, or when n_best of them are such that no live one can still pass them. At its
// longest length a hypothesis gets </s>, whatever its probability. UsageError: options. DataError: a source longer than
// the model's learned positions. RunError: the model gives NaN.
using Done = std::function<void(size_t place, std::vector<Hypothesis>)>;
void search(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// All of them at a time.
std::vector<std::vector<Hypothesis>> search(Context& cx, const Transformer& model, std::span<const Ids> sources,
                                            const SearchOptions& options, const SpecialIds& special);

// The most probable token at every step: the same as search with beam_size 1, said plainly. Of the options only
// length_penalty and extra_length count.
std::vector<Hypothesis> greedy(Context& cx, const Transformer& model, std::span<const Ids> sources,
                               const SearchOptions& options, const SpecialIds& special);

// Bytes of arena that search() can need at most: a worker of this queue, or all of the sources at a time.
size_t search_memory(const Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options, DType dtype);

}  // namespace hexapla
