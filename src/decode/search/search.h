#pragma once
// From a batch of source sentences to their best translations: greedy decoding and beam search, section 6.1.
// The result of a sentence does not depend on the other sentences of the batch, their order or the threads.
#include <span>
#include <vector>

#include "decode/models/steps.h"
#include "decode/queue.h"
#include "decode/search_options.h"

namespace hexapla::decode {

struct Ensemble;  // decode/models/ensemble.h

// Takes sentences until none is left; one that is done makes room for others at once, or nearly: encoding a few
// together is faster. done(index in sources, hypotheses) is called for each, from the worker's thread: hypotheses best
// first, at most n_best (fewer only if the vocabulary is too small for as many, or as rules say below). Every step
// extends each live hypothesis by every token; of all these candidates of a sentence, equal scores by lower beam and
// lower id, the best beam_size go on, and one that ends with </s> is finished if it is among the first beam_size. A
// sentence is done when it has beam_size finished hypotheses, or when n_best of them are such that no live one can
// still pass them; with StopWhen::outscored or never, later. At its longest length a hypothesis gets </s>, whatever its
// probability. Constraints (lengths, repeats, unknown words, prefixes, forbidden phrases) take candidates away and
// leave the scores of the others as they are. Required phrases share out the beam among hypotheses that have come as
// far with them (dynamic beam allocation, Post and Vilar 2018); a sentence with C tokens of them gets a beam of C + 1
// at least, and up to C tokens more. There is no hypothesis for a sentence that cannot follow the rules. Sampling gives
// n_best independent draws in the order of their numbers; each depends on the seed, the request's line and part, its
// own number and the step, and on nothing else. UsageError: options. DataError: a source longer than the model's
// learned positions. RunError: the model gives NaN.
void search(Context& cx, const model::Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// The same by several models together.
void search(Context& cx, const Ensemble& ensemble, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// All of them at a time.
std::vector<std::vector<Hypothesis>> search(Context& cx, const model::Transformer& model,
                                            std::span<const text::Ids> sources, const SearchOptions& options,
                                            const SpecialIds& special);

// The most probable token at every step: the same as search with beam_size 1, said plainly. Of the options only
// length_penalty and extra_length count.
std::vector<Hypothesis> greedy(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                               const SearchOptions& options, const SpecialIds& special);

// Bytes of arena that search() can need at most: a worker of this queue, or all of the sources at a time.
size_t search_memory(const model::Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const Ensemble& ensemble, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const model::Transformer& model, std::span<const text::Ids> sources, const SearchOptions& options,
                     DType dtype);

}  // namespace hexapla::decode
