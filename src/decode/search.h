#pragma once
// From a batch of source sentences to their best translations: greedy decoding and beam search, section 6.1.
// The result of a sentence does not depend on the other sentences of the batch, their order or the threads.
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
};
void check(const SearchOptions& options);  // UsageError: a number out of range

struct Hypothesis {
  Ids ids;                // without <s> and </s>
  double score = 0;       // log-probability: the sum over the tokens and </s>
  double normalised = 0;  // score / divisor(length penalty, tokens with </s>); the order of hypotheses
  bool operator==(const Hypothesis&) const = default;
};

// The ids that decoding knows: it starts with <s>, ends with </s>, and writes neither <s> nor padding.
struct SpecialIds {
  int32_t bos, eos, pad;  // pad -1: there is none
};
SpecialIds special_ids(const Vocabulary& target);

// Best first, at most n_best for each sentence (fewer only if the vocabulary is too small for as many). Sources are ids
// that end with </s>. Every step extends each live hypothesis by every token; of all these candidates of a sentence,
// equal scores by lower beam and lower id, the best beam_size go on, and one that ends with </s> is finished if it is
// among the first beam_size. A sentence is done when it has beam_size finished hypotheses, or when n_best of them are
// such that no live one can still pass them. At its longest length a hypothesis gets </s>, whatever its probability.
// UsageError: options. DataError: a source longer than the model's learned positions. RunError: the model gives NaN.
std::vector<std::vector<Hypothesis>> search(Context& cx, const Transformer& model, std::span<const Ids> sources,
                                            const SearchOptions& options, const SpecialIds& special);

// The most probable token at every step: the same as search with beam_size 1, said plainly. Of the options only
// length_penalty and extra_length count.
std::vector<Hypothesis> greedy(Context& cx, const Transformer& model, std::span<const Ids> sources,
                               const SearchOptions& options, const SpecialIds& special);

// Bytes of arena that search() can need at most for this batch.
size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options, DType dtype);

}  // namespace hexapla
