#pragma once
// Beam search of one sentence, step by step: what it weighs, what it keeps, and why it drops the rest.
#include <string>
#include <vector>

#include "decode/search/search.h"

namespace hexapla::decode {

enum class Fate {
  goes_on,   // among the best beam_size that do not end
  finished,  // ends, among the first beam_size
  too_low,   // ends, but below the first beam_size
  beaten,    // beam_size better ones go on
  left,      // would go on, but the search ends
};

struct TracedCandidate {
  size_t beam;          // the live hypothesis that it extends, from 0
  int32_t id;           // its token
  double log_p, score;  // of the token alone, of the whole
  double normalized;    // of one that ends: what finished hypotheses are compared by
  Fate fate;
};

struct TracedStep {
  std::vector<text::Ids> live;              // the hypotheses before it, best first, without <s>
  std::vector<TracedCandidate> candidates;  // best first
};

enum class TraceEnd {
  enough,   // beam_size hypotheses are finished
  passed,   // no live hypothesis can still pass the n_best finished ones
  longest,  // the longest length: every hypothesis got </s>
};

struct Trace {
  std::vector<TracedStep> steps;
  TraceEnd ending = TraceEnd::enough;
  std::vector<Hypothesis> found;  // what search() gives
};

// UsageError: options that are not those of plain beam search (sampling, a least length, rules on repeats or unknown
// words), or one out of range.
void check_traceable(const SearchOptions& options);

// source ends with </s>; opening: the token that the translation begins with (OpenedLine). UsageError: as above.
// Canceled: by the flag of this thread (CancelScope).
Trace trace_search(Context& cx, const model::Transformer& model, const text::Ids& source, const SearchOptions& options,
                   const SpecialIds& special, std::optional<int32_t> opening = {});

// "goes on", "finished", ...: what became of a candidate, and why, for a beam of this size.
std::string text_of(Fate fate, int beam_size);
std::string text_of(TraceEnd ending, int beam_size);

}  // namespace hexapla::decode
