#pragma once
// Limits for the length and number of translations, and a worker's memory for them.
#include <vector>

#include "decode/search/queue.h"
#include "decode/strategies/beam_entry.h"

namespace hexapla::decode {

// The number of positions that a model has learned; if they are computed, more than anyone needs.
int64_t positions(const model::Transformer& model);

// The maximum length of a translation: S + extra_length for S source tokens, plus the tokens that
// it is forced to contain; other limits and the number of positions apply, too.
int64_t longest_translation(int64_t positions, const text::Ids& source, const SearchOptions& options,
                            const SentenceConstraints& request = {});
// The maximum number of hypotheses per sentence.
int64_t width(const SearchOptions& options, const SentenceConstraints& request = {});

// A worker's memory; for a list: enough for any of its sentences alone.
struct DecodingCapacity {
  int64_t sentences = 0, tokens = 0, cache_rows = 0, longest = 0, widest = 1;
  DecodingCapacity() = default;
  DecodingCapacity(int64_t positions, const Queue& q, const SearchOptions& options);
};

// The rows of a step: all hypotheses of the sentences in progress, ordered by first row. Unused
// memory between two sentences is treated as a sentence without hypotheses.
struct StepLayout {
  std::vector<Prefix*> prefixes;
  std::vector<int32_t> offsets, memory;
  std::vector<int64_t> first;  // for each sentence

  // tokens: total memory rows
  StepLayout(std::vector<Sentence>& sentences, int64_t tokens);

 private:
  void begin(int64_t row);
};

}  // namespace hexapla::decode
