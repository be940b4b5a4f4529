#pragma once
// How long translations may become, and the memory that a worker has for them.
#include <vector>

#include "decode/hypotheses.h"

namespace hexapla {

// A translation of S source tokens has at most S + extra_length tokens, and no more than there are learned positions.
int64_t longest_translation(const Transformer& model, const Ids& source, const SearchOptions& options);

// What a worker has memory for.
struct Room {
  int64_t sentences = 0, tokens = 0, cache_rows = 0, longest = 0;
  Room(const Transformer& model, const Queue& q, const SearchOptions& options);
};

// All the hypotheses of the sentences on their way, which stand in the order of their places. Between two of them there
// may be memory that nobody looks at: as if a sentence without hypotheses stood there.
struct Rows {
  std::vector<Prefix*> prefixes;
  std::vector<int32_t> starts, memory;
  std::vector<int64_t> first;  // of each sentence

  // tokens: memory rows in all
  Rows(std::vector<Sentence>& sentences, int64_t tokens);

 private:
  void begin(int64_t row);
};

}  // namespace hexapla
