#pragma once
#include <cstdint>
#include <optional>

#include "decode/options/length_penalty.h"

namespace hexapla::decode {

class Shortlist;  // decode/steps/shortlist.h

// Samples translations instead of searching for the best. After applying the temperature, top_k
// limits the tokens, and then top_p limits them to the smallest set with at least that probability.
struct SamplingOptions {
  double temperature = 1;  // of softmax(logits / temperature)
  int64_t top_k = 0;       // 0: all (Fan, Lewis, Dauphin 2018)
  double top_p = 1;        // the nucleus; 1: all (Holtzman et al. 2020)
  uint64_t seed = 1;
};

// When to stop the search for a sentence.
enum class StopWhen {
  full,       // as soon as there are beam_size finished hypotheses
  outscored,  // as full, and the best live one, normalized by its length so far, scores no more than the worst of the
              // beam_size best: Hugging Face's early_stopping=False. Greedy decoding still ends with the first.
  never,      // only if no live one can become better than the worst of the n_best, whatever follows: Hugging Face's
              // early_stopping="never"
  shrinking,  // no live ones are left: a finished hypothesis leaves its place in the beam empty, as in Marian
};

struct SearchOptions {
  int beam_size = 4;                              // section 6.1
  LengthPenalty length_penalty = PaperPenalty{};  // alpha 0.6
  int n_best = 1;             // translations per sentence: at most beam_size, or any number of samples
  int64_t extra_length = 50;  // most tokens of a translation beyond the number of its source tokens
  bool token_scores = false;  // fill Hypothesis::token_scores
  StopWhen stop_when = StopWhen::full;
  double word_penalty = 0;   // per token, including </s>; subtracted from the score before normalization
  int64_t longest = 0;       // maximum number of tokens; 0: no limit
  double longest_ratio = 0;  // maximum ratio to the number of source tokens; 0: no limit
  int64_t min_length = 0;    // minimum number of tokens, if that many are possible
  // Factor for the log-probability of tokens that already occur, including <s>, before hypotheses
  // are compared; with a beam of 1, for the logit, which is divided if positive
  // (decode/strategies/repetition_penalty.h).
  double repetition_penalty = 1;
  int64_t no_repeat_ngram = 0;              // n: no n-gram occurs twice; 0: off
  int64_t max_repetition = 0;               // n: no string occurs more than n times in a row; 0: off
  bool forbid_unknown = false;              // never write the unknown piece
  std::optional<SamplingOptions> sampling;  // instead of beam search
  const Shortlist* shortlist = nullptr;     // pieces that a translation may contain; null: all
  // Compute every hypothesis anew at each step (decode/steps/whole_steps.h): for one sentence, and a
  // decoder without a mask.
  bool without_cache = false;
};
void check(const SearchOptions& options);  // UsageError: a number out of range

}  // namespace hexapla::decode
