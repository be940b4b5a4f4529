#pragma once
// How long and how many translations may become, and the memory that a worker has for them.
#include <vector>

#include "decode/queue.h"
#include "decode/search/beam_entry.h"

namespace hexapla::decode {

// How many a model has learned; where they are computed, more than anybody needs.
int64_t positions(const model::Transformer& model);

// A translation of S source tokens has at most S + extra_length tokens, no more than the other limits say, and no more
// than there are positions. What it is made to write comes on top of the first.
int64_t longest_translation(int64_t positions, const text::Ids& source, const SearchOptions& options,
                            const SentenceConstraints& request = {});
// Hypotheses of a sentence at a time.
int64_t width(const SearchOptions& options, const SentenceConstraints& request = {});

// What a worker has memory for; of a list: enough for any of its sentences alone.
struct DecodingCapacity {
  int64_t sentences = 0, tokens = 0, cache_rows = 0, longest = 0, widest = 1;
  DecodingCapacity() = default;
  DecodingCapacity(int64_t positions, const Queue& q, const SearchOptions& options);
};

// All the hypotheses of the sentences on their way, which stand in the order of their first rows. Between two of them
// there may be memory that nobody looks at: as if a sentence without hypotheses stood there.
struct StepLayout {
  std::vector<Prefix*> prefixes;
  std::vector<int32_t> offsets, memory;
  std::vector<int64_t> first;  // of each sentence

  // tokens: memory rows in all
  StepLayout(std::vector<Sentence>& sentences, int64_t tokens);

 private:
  void begin(int64_t row);
};

}  // namespace hexapla::decode
