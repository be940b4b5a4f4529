#pragma once
// From a batch of source sentences to their best translations: greedy decoding and beam search, section 6.1.
// The result of a sentence does not depend on the other sentences of the batch, their order or the threads.
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/length_penalty.h"
#include "decode/phrases.h"
#include "decode/steps.h"

namespace hexapla {

struct Ensemble;  // decode/ensemble.h

// Draws translations instead of looking for the best. The tokens that may be drawn are those that top_k leaves, and of
// these the fewest whose probabilities add up to top_p or more; temperature comes before both.
struct SamplingOptions {
  double temperature = 1;  // of softmax(logits / temperature)
  int64_t top_k = 0;       // 0: all (Fan, Lewis, Dauphin 2018)
  double top_p = 1;        // the nucleus; 1: all (Holtzman et al. 2020)
  uint64_t seed = 1;
};

struct SearchOptions {
  int beam_size = 4;                              // section 6.1
  LengthPenalty length_penalty = PaperPenalty{};  // alpha 0.6
  int n_best = 1;               // translations returned for each sentence: at most beam_size, or any number of samples
  int64_t extra_length = 50;    // a translation has at most so many tokens more than its source
  bool token_scores = false;    // fill Hypothesis::token_scores
  double word_penalty = 0;      // what each token, </s> too, takes from the score before it is normalised
  int64_t longest = 0;          // at most so many tokens; 0: no such limit
  double longest_ratio = 0;     // at most so many times the tokens of the source; 0: no such limit
  int64_t min_length = 0;       // at least so many tokens, if that many may be written
  int64_t no_repeat_ngram = 0;  // no so many tokens that were there before; 0: off
  int64_t max_stutter = 0;      // no string stands more than so many times in a row; 0: off
  bool forbid_unknown = false;  // never the unknown piece
  std::optional<SamplingOptions> sampling;  // instead of beam search
};
void check(const SearchOptions& options);  // UsageError: a number out of range

struct Hypothesis {
  Ids ids;                          // without <s> and </s>
  double score = 0;                 // log-probability: the sum over the tokens and </s>
  double normalised = 0;            // score / divisor(length penalty, tokens with </s>); the order of hypotheses
  std::vector<float> token_scores;  // log-probability of each token and of </s>; only where it is asked for
  double coverage = 0;              // beta * coverage(), which `normalised` has then; only where it is asked for
  bool operator==(const Hypothesis&) const = default;
};

// The ids that decoding knows: it starts with <s>, ends with </s>, and writes neither <s> nor padding.
struct SpecialIds {
  int32_t bos, eos, pad;  // pad -1: there is none
};
SpecialIds special_ids(const Vocabulary& target);

// What is asked of one translation beyond being one.
struct Request {
  std::string prefix;                       // its text begins so; normalised, and a blank at the end ends the last word
  int64_t prefix_tokens = 0;                // that the prefix can take
  std::vector<Phrase> required, forbidden;  // it has each of these, and none of those
  uint64_t line = 0;                        // with `part` it names what is drawn for this sentence
  uint32_t part = 0;                        // of the line
};

// Sentences that wait to be translated: ids that end with </s>. Several workers may draw on one of these.
struct Queue {
  std::span<const Ids> sources;
  std::span<const size_t> order;           // places in sources, in the order in which they are to be begun
  int64_t sentences;                       // translated at a time by one worker, at most
  int64_t tokens;                          // of their sources, at most; a longer one stands alone
  std::atomic<size_t> next = 0;            // of order
  std::span<const Request> requests = {};  // one a source, or none at all
  const PieceTexts* pieces = nullptr;      // needed where there are requests or rules on text
};

// Takes sentences until none is left; one that is done makes room for others at once, or nearly: encoding a few
// together is faster. done(place in sources, hypotheses) is called for each, from the worker's thread: hypotheses best
// first, at most n_best (fewer only if the vocabulary is too small for as many, or as rules say below). Every step
// extends each live hypothesis by every token; of all these candidates of a sentence, equal scores by lower beam and
// lower id, the best beam_size go on, and one that ends with </s> is finished if it is among the first beam_size. A
// sentence is done when it has beam_size finished hypotheses, or when n_best of them are such that no live one can
// still pass them. At its longest length a hypothesis gets </s>, whatever its probability. Rules (lengths, repeats,
// unknown words, prefixes, forbidden phrases) take candidates away and leave the scores of the others as they are.
// Required phrases share out the beam among hypotheses that have come as far with them (dynamic beam allocation, Post
// and Vilar 2018); a sentence with C tokens of them gets a beam of C + 1 at least, and up to C tokens more. There is no
// hypothesis for a sentence that cannot follow the rules. Sampling gives n_best independent draws in the order of their
// numbers; each depends on the seed, the request's line and part, its own number and the step, and on nothing else.
// UsageError: options. DataError: a source longer than the model's learned positions. RunError: the model gives NaN.
using Done = std::function<void(size_t place, std::vector<Hypothesis>)>;
void search(Context& cx, const Transformer& model, Queue& queue, const SearchOptions& options,
            const SpecialIds& special, const Done& done);
// The same by several models together.
void search(Context& cx, const Ensemble& ensemble, Queue& queue, const SearchOptions& options,
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
size_t search_memory(const Ensemble& ensemble, const Queue& queue, const SearchOptions& options, DType dtype);
size_t search_memory(const Transformer& model, std::span<const Ids> sources, const SearchOptions& options, DType dtype);

}  // namespace hexapla
