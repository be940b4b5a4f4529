#pragma once
// Token ids, and the ragged batches that the model trains on.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "data/batches/line_counts.h"
#include "data/batches/unknown_tokens.h"
#include "data/links.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// One sentence pair in token ids.
struct Example {
  text::Ids source;              // ends with </s>
  text::Ids target;              // without <s> and </s>
  int64_t line = 0;              // in the corpus files
  int32_t corpus = 0;            // which of the training sets
  std::vector<Link> links = {};  // between tokens, for guided alignment: sorted by target, then source
};

struct Encoded {
  std::vector<Example> examples;
  std::vector<std::string> notes;  // what was dropped
  UnknownTokens unknown;
  LineCounts lines{};
};

// Encodes on all threads; the result does not depend on their number. A pair with a side above max_length tokens
// (</s> counted), or with a side that has no token at all, is dropped with a note. DataError: no pair is left.
Encoded encode_corpus(const Corpus& corpus, const text::Vocabulary& source, const text::Vocabulary& target,
                      int64_t max_length);

// Gives the examples of this corpus their links. Errors as GoldLinks::of_pair.
void add_links(std::span<Example> examples, const Corpus& corpus, const GoldLinks& links,
               const text::Vocabulary& source, const text::Vocabulary& target);

// Sequences one after the other without padding: sequence b owns rows offsets[b] .. offsets[b+1]-1 of its side.
struct Batch {
  std::vector<int32_t> source, source_offsets;                 // source ends with </s>
  std::vector<int32_t> target_in, target_out, target_offsets;  // <s> y and y </s>: both have target_offsets
  std::vector<int64_t> lines;                                  // where each pair stands in the corpus files
  std::vector<int32_t> corpora;                                // in which training set
  // Where an example has links: row t of the target (</s> has none) is linked to the positions
  // linked[link_offsets[t]] .. linked[link_offsets[t + 1] - 1] of its source. Else empty.
  std::vector<int32_t> link_offsets, linked;

  int64_t sequences() const { return static_cast<int64_t>(lines.size()); }
  int64_t source_tokens() const { return static_cast<int64_t>(source.size()); }
  int64_t target_tokens() const { return static_cast<int64_t>(target_out.size()); }
};

// "lines 3, 7", or "lines 3, 7 of a.en + a.de; 5 of b.tsv" where there is more than one training set.
std::string name_lines(std::span<const Batch> batches, std::span<const std::string> sets);

// The examples at the given indices, in this order. `target` gives <s> and </s>. InternalError: an index outside.
Batch make_batch(const text::Vocabulary& target, std::span<const Example> examples, std::span<const int32_t> indices);

struct Batching {
  int64_t batch_tokens = 2048;  // target tokens of a batch, </s> counted, no padding to count
  int64_t max_length = 256;     // tokens of a sentence, </s> counted; encode_corpus drops longer ones
  uint64_t seed = 1;
};

// The batches of one epoch as indices into `examples`: every example once, neighbors in a batch of like length, at most
// batch_tokens target and 1.5 * batch_tokens source tokens a batch (a longer example stands alone), in random order.
// A function of its arguments alone, so that a resumed run plans what the unbroken one would have.
using Plan = std::vector<std::vector<int32_t>>;
Plan plan_epoch(std::span<const Example> examples, const Batching& options, int64_t epoch);

// The same for any indices, which may stand in `order` more than once, with the lengths of what stands there and the
// random numbers that the caller has.
struct PairSize {
  int32_t source = 0, target = 0;  // tokens, each with </s>
};
Random plan_random(uint64_t seed, int64_t epoch);  // those of plan_epoch
Plan plan_batches(std::span<const PairSize> sizes, std::vector<int32_t> order, int64_t batch_tokens, Random& random);

}  // namespace hexapla::data
