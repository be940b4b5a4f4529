#pragma once
// Token ids, and the ragged batches that the model trains on.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "data/batches/line_counts.h"
#include "data/batches/unknown_tokens.h"
#include "data/files/links.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// One sentence pair in token ids.
struct Example {
  text::Ids source;              // ends with </s>
  text::Ids target;              // without <s> and </s>
  int64_t line = 0;              // line number in the corpus files
  int32_t corpus = 0;            // index of the training set
  std::vector<Link> links = {};  // between tokens, for guided alignment: sorted by target, then source
};

struct Encoded {
  std::vector<Example> examples;
  std::vector<std::string> notes;  // what was dropped
  UnknownTokens unknown;
  LineCounts lines{};
};

// Encodes on all threads; the result does not depend on their number. Drops pairs, with a note,
// that have more than max_length tokens (including </s>) or none on a side. DataError: no pair is
// left.
Encoded encode_corpus(const Corpus& corpus, const text::Vocabulary& source, const text::Vocabulary& target,
                      int64_t max_length);

// Sets the links of this corpus's examples. Errors as GoldLinks::of_pair.
void add_links(std::span<Example> examples, const Corpus& corpus, const GoldLinks& links,
               const text::Vocabulary& source, const text::Vocabulary& target);

// Concatenated sequences without padding: sequence b owns rows offsets[b] .. offsets[b+1]-1.
struct Batch {
  std::vector<int32_t> source, source_offsets;                 // source ends with </s>
  std::vector<int32_t> target_in, target_out, target_offsets;  // <s> y and y </s>: both have target_offsets
  std::vector<int64_t> lines;                                  // line of each pair in the corpus files
  std::vector<int32_t> corpora;                                // index of its training set
  // If an example has links: row t of the target (</s> has none) is linked to the source positions
  // linked[link_offsets[t]] .. linked[link_offsets[t + 1] - 1]. Otherwise empty.
  std::vector<int32_t> link_offsets, linked;

  int64_t sequences() const { return std::ssize(lines); }
  int64_t source_tokens() const { return std::ssize(source); }
  int64_t target_tokens() const { return std::ssize(target_out); }
};

// "lines 3, 7", or with several training sets "lines 3, 7 of a.en + a.de; 5 of b.tsv".
std::string name_lines(std::span<const Batch> batches, std::span<const std::string> sets);

// The examples with these indices, in order. `target` defines <s> and </s>. InternalError: an index
// out of range.
Batch make_batch(const text::Vocabulary& target, std::span<const Example> examples, std::span<const int32_t> indices);

struct Batching {
  int64_t batch_tokens = 2048;  // target tokens per batch, including </s>
  int64_t max_length = 256;     // tokens per sentence, including </s>; encode_corpus drops longer ones
  uint64_t seed = 1;
};

// The batches of one epoch as indices into `examples`, in random order: every example once, similar
// lengths in a batch, at most batch_tokens target and 1.5 * batch_tokens source tokens per batch (a
// longer example is a batch by itself). Depends only on the arguments, so a resumed run plans the
// same batches.
using Plan = std::vector<std::vector<int32_t>>;
Plan plan_epoch(std::span<const Example> examples, const Batching& options, int64_t epoch);

// The same for arbitrary indices, which may be repeated in `order`, with the lengths of the items
// in `order` and the caller's random numbers.
struct PairSize {
  int32_t source = 0, target = 0;  // tokens, including </s>
};
Random plan_random(uint64_t seed, int64_t epoch);  // as in plan_epoch
Plan plan_batches(std::span<const PairSize> sizes, std::vector<int32_t> order, int64_t batch_tokens, Random& random);

}  // namespace hexapla::data
