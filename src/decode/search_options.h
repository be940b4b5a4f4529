#pragma once
#include <cstdint>
#include <optional>

#include "decode/length_penalty.h"

namespace hexapla::decode {

class Shortlist;  // decode/models/shortlist.h

// Draws translations instead of looking for the best. The tokens that may be drawn are those that top_k leaves, and of
// these the fewest whose probabilities add up to top_p or more; temperature comes before both.
struct SamplingOptions {
  double temperature = 1;  // of softmax(logits / temperature)
  int64_t top_k = 0;       // 0: all (Fan, Lewis, Dauphin 2018)
  double top_p = 1;        // the nucleus; 1: all (Holtzman et al. 2020)
  uint64_t seed = 1;
};

// When a sentence has enough finished hypotheses.
enum class StopWhen {
  full,       // as soon as there are beam_size of them
  outscored,  // there are, and the best live one scores no more, normalized by its length so far, than the worst of the
              // beam_size best: Hugging Face's early_stopping=False. Greedy decoding ends with the first as ever.
  never,      // only when none that is live can become better than the worst that is asked for, however it goes on:
              // early_stopping="never" there
  shrinking,  // none is live: whatever ends leaves its place in the beam empty, as in Marian
};

struct SearchOptions {
  int beam_size = 4;                              // section 6.1
  LengthPenalty length_penalty = PaperPenalty{};  // alpha 0.6
  int n_best = 1;             // translations returned for each sentence: at most beam_size, or any number of samples
  int64_t extra_length = 50;  // a translation has at most so many tokens more than its source
  bool token_scores = false;  // fill Hypothesis::token_scores
  StopWhen stop_when = StopWhen::full;
  double word_penalty = 0;   // what each token, </s> too, takes from the score before it is normalized
  int64_t longest = 0;       // at most so many tokens; 0: no such limit
  double longest_ratio = 0;  // at most so many times the tokens of the source; 0: no such limit
  int64_t min_length = 0;    // at least so many tokens, if that many may be written
  // Factor of the log-probability of a token that is there already, <s> among them, before hypotheses are compared; in
  // a beam of 1 of its logit, which is divided where it is above 0 (decode/constraints/repetition_penalty.h).
  double repetition_penalty = 1;
  int64_t no_repeat_ngram = 0;              // no so many tokens that were there before; 0: off
  int64_t max_repetition = 0;               // no string stands more than so many times in a row; 0: off
  bool forbid_unknown = false;              // never the unknown piece
  std::optional<SamplingOptions> sampling;  // instead of beam search
  const Shortlist* shortlist = nullptr;     // what a translation may be made of; null: of all pieces
};
void check(const SearchOptions& options);  // UsageError: a number out of range

}  // namespace hexapla::decode
