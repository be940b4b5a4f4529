#pragma once
// The search state of a sentence in progress.
#include <algorithm>
#include <vector>

#include "decode/constraints/sentence_constraints.h"
#include "decode/options/search_options.h"
#include "decode/steps/decoder_steps.h"
#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

struct BeamEntry {
  Prefix prefix;
  double score = 0;
  std::vector<float> token_scores;  // only on request
  uint32_t sample = 0;              // its number, if sampled
  double lost = 0;                  // sum of penalties in the score; score - lost is the log-probability
};

class DecodingStrategy;

struct Sentence {
  size_t source;              // its name in its queue
  int64_t first_row, tokens;  // its memory rows
  int64_t cap, width;         // maximum tokens of a translation, including </s>, and maximum hypotheses
  const SentenceConstraints* constraints;
  DecodingStrategy* strategy;
  std::vector<BeamEntry> live;
  std::vector<Hypothesis> finished;
};

// The score by which hypotheses of `tokens` tokens, including </s>, are compared.
inline double normalized(double score, int64_t tokens, const SearchOptions& options) {
  return (score - options.word_penalty * static_cast<double>(tokens)) / divisor(options.length_penalty, tokens);
}

// Sorts by normalized score; stable.
inline void sort_best_first(std::vector<Hypothesis>& hypotheses) {
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.normalized > b.normalized; });
}

// live + id, whose log-probability is `last`; score: of the whole.
inline BeamEntry extended(const BeamEntry& live, int32_t id, double score, double last, const SearchOptions& options) {
  BeamEntry next{live.prefix.with(id), score, {}, live.sample, live.lost};
  if (options.token_scores) {
    next.token_scores = live.token_scores;
    next.token_scores.push_back(static_cast<float>(last));
  }
  return next;
}

// live + </s>, whose log-probability is `last`; `lost` is added by a penalty.
inline Hypothesis finish(const BeamEntry& live, double last, const SearchOptions& options, double lost = 0) {
  const double score = live.score + last + lost;
  const text::Ids ids(live.prefix.ids.begin() + 1, live.prefix.ids.end());
  Hypothesis h{ids, score - (live.lost + lost), normalized(score, std::ssize(ids) + 1, options), {}};
  if (options.token_scores) {
    h.token_scores = live.token_scores;
    h.token_scores.push_back(static_cast<float>(last));
  }
  return h;
}

}  // namespace hexapla::decode
