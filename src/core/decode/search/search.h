#pragma once
// Finds the best translations of a batch of source sentences: greedy decoding and beam search,
// section 6.1. The result for a sentence does not depend on other sentences, their order or the
// threads.
#include <span>
#include <vector>

#include "decode/options/search_options.h"
#include "decode/search/queue.h"
#include "decode/steps/decoder_steps.h"

namespace hexapla::decode {

struct Ensemble;  // decode/search/ensemble.h

// Takes sentences until none is left; when one is done, another takes its place soon (encoding a
// few together is faster). Calls done(index in sources, hypotheses) for each, from the worker's
// thread, with at most n_best hypotheses, best first (fewer only if the vocabulary is too small, or
// because of constraints).
//
// Every step extends each live hypothesis by every token. The candidates of a sentence are sorted
// (ties by lower beam, then lower id): the best beam_size that do not end continue, and one that
// ends with </s> is finished if it is among the first beam_size. A sentence is done when it has
// beam_size finished hypotheses, or when no live one can still beat the n_best finished ones; with
// StopWhen::outscored or never, later. At the maximum length a hypothesis gets </s>, whatever its
// probability.
//
// Constraints (lengths, repeats, unknown words, prefixes, forbidden phrases) remove candidates and
// do not change the scores of the others. Required phrases divide the beam among hypotheses with
// the same number of completed constraint tokens (dynamic beam allocation, Post and Vilar 2018); a
// sentence with C such tokens gets a beam of at least C + 1, and up to C additional tokens. A
// sentence that cannot satisfy its constraints gets no hypothesis.
//
// Sampling gives n_best independent samples in the order of their numbers; each depends only on the
// seed, the request's line and part, its own number and the step.
//
// UsageError: options. DataError: a source longer than the model's learned positions. RunError: the
// model gives NaN.
void search(Context& cx, const model::Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// The same with an ensemble.
void search(Context& cx, const Ensemble& ensemble, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// All sources at once.
std::vector<std::vector<Hypothesis>> search(Context& cx, const model::Transformer& model,
                                            std::span<const text::Ids> sources, const SearchOptions& options,
                                            const SpecialIds& special);

// The most probable token at every step: equals search() with beam_size 1, in simpler code. Only
// length_penalty and extra_length are used.
std::vector<Hypothesis> greedy(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources,
                               const SearchOptions& options, const SpecialIds& special);

// Upper bound of the arena bytes that search() needs, for a worker of this queue or for all sources
// at once.
size_t search_memory(const model::Transformer& model, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const Ensemble& ensemble, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const model::Transformer& model, std::span<const text::Ids> sources, const SearchOptions& options,
                     DType dtype);

}  // namespace hexapla::decode
