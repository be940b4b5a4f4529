#pragma once
// Traces beam search of one sentence: the candidates of each step, which are kept, and why the
// others are dropped.
#include <string>
#include <vector>

#include "decode/search/search.h"

namespace hexapla::decode {

enum class Fate {
  goes_on,   // among the best beam_size that do not end
  finished,  // ends, among the first beam_size
  too_low,   // ends, but below the first beam_size
  beaten,    // beam_size better ones continue
  left,      // would continue, but the search ends
};

struct TracedCandidate {
  size_t beam;          // the live hypothesis that it extends, from 0
  int32_t id;           // its token
  double log_p, score;  // of the token; of the whole hypothesis
  double normalized;    // if it ends: the score by which finished hypotheses are compared
  Fate fate;
};

struct TracedStep {
  std::vector<text::Ids> live;              // the hypotheses before it, best first, without <s>
  std::vector<TracedCandidate> candidates;  // best first
};

enum class TraceEnd {
  enough,   // beam_size hypotheses are finished
  passed,   // no live hypothesis can still beat the n_best finished ones
  longest,  // maximum length: every hypothesis got </s>
};

struct Trace {
  std::vector<TracedStep> steps;
  TraceEnd ending = TraceEnd::enough;
  std::vector<Hypothesis> found;  // the result of search()
};

// UsageError: options beyond plain beam search (sampling, a minimum length, rules on repeats or
// unknown words), or one out of range.
void check_traceable(const SearchOptions& options);

// source ends with </s>; opening: the first token of the translation (OpenedLine). UsageError: as
// above. Canceled: by the flag of this thread (CancelScope).
Trace trace_search(Context& cx, const model::Transformer& model, const text::Ids& source, const SearchOptions& options,
                   const SpecialIds& special, std::optional<int32_t> opening = {});

// The fate of a candidate and its reason, for a beam of this size: "goes on", "finished", ...
std::string text_of(Fate fate, int beam_size);
std::string text_of(TraceEnd ending, int beam_size);

}  // namespace hexapla::decode
