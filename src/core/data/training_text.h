#pragma once
// The training sets as one stream of checked pairs, and what is made from it: a sample of lines for
// a vocabulary, and the training pairs. Memory stays within the given limit.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batches/batch_stream.h"
#include "data/batches/line_counts.h"
#include "data/batches/pair_store.h"
#include "data/files/corpus.h"
#include "data/held_out.h"

namespace hexapla::data {

// a.en a.de b.tsv: files are alternately source and target; a file called .tsv (or .tsv.gz,
// .tsv.zst, .tsv.xz), or any file if `tsv` is set, has both sides. UsageError naming the option: a
// file without its translation, stdin twice.
std::vector<ParallelSource> parse_sets(const std::string& option, const std::vector<std::string>& files, bool tsv);

class TrainingText {
 public:
  // Input that can be read only once (a pipe) is kept for rereading: in memory, or in the folder.
  TrainingText(const std::vector<ParallelSource>& sets, const ShuffleSpace& space);

  // The next usable pair, one set after the other. DataError: as CheckedReader; a set read
  // completely has no pair.
  bool next(TextPair& pair);
  void rewind();  // call after the last pair
  // From now on without the pairs that are held out.
  void leave_out(std::shared_ptr<const HeldOut> held) { held_ = std::move(held); }
  const std::shared_ptr<const HeldOut>& left_out() const { return held_; }

  const std::vector<std::string>& names() const { return names_; }  // "a.en + a.de", per set
  const std::vector<std::string>& notes() const { return notes_; }  // pairs dropped in the first reading
  bool read_once() const { return kept_.has_value(); }              // a set is a pipe, or a program's pairs
  const std::vector<int64_t>& lines() const { return lines_; }      // per set, after its last pair

 private:
  bool next_of_all(TextPair& pair);
  bool next_read(TextPair& pair);
  bool next_kept(TextPair& pair);
  void end_set();

  std::vector<CheckedReader> readers_;
  std::vector<bool> whole_;  // not limited to some of the lines
  std::vector<std::string> names_, notes_;
  std::vector<int64_t> lines_;
  std::optional<PairStore> kept_;  // everything, if it cannot be read twice
  size_t set_ = 0;
  int64_t in_set_ = 0;  // pairs so far
  bool again_ = false;
  size_t block_ = 0;  // of kept_
  PairBlock open_;
  std::string_view left_;
  std::shared_ptr<const HeldOut> held_;
};

using ReadingProgress = std::function<void(const char* what, int64_t pairs)>;

// Reads the whole text, and rewinds it.
void for_each_pair(TrainingText& text, const ReadingProgress& progress,
                   const std::function<void(const TextPair&)>& use);

// At most `most` lines of each side, uniformly sampled, in text order; reproducible (Algorithm R,
// Vitter 1985).
struct LineSample {
  std::vector<std::string> source, target;
};
LineSample sample_lines(TrainingText& text, int64_t most, const ReadingProgress& progress);

struct PreparedPairs {
  std::shared_ptr<const PairStore> store;
  std::vector<std::string> notes;        // pairs dropped for their length in tokens
  std::string fingerprint;               // of all ids
  std::vector<UnknownTokens> unknown{};  // per set
  std::vector<int64_t> of_sets{};        // pairs per training set
  LineCounts lines{};                    // of all sets
};
struct PairOptions {
  int64_t max_length = 256;
  bool keep_text = false;  // the store has text, to sample segmentations from
  ShuffleSpace space;
  double join_sentences = 0;  // probability that a pair is joined to the one before it (data/joined_pairs.h)
};
// Selects one of several stores for a pair.
using PartOfPair = std::function<size_t(const TextPair&)>;
// Encodes on all threads. Drops pairs with a note like encode_corpus. DataError: none is left.
PreparedPairs prepare_pairs(TrainingText& text, const text::Vocabulary& source, const text::Vocabulary& target,
                            const PairOptions& options, const ReadingProgress& progress);
// The same with `parts` stores, each with the memory in the options.
std::vector<PreparedPairs> deal_pairs(TrainingText& text, const text::VocabularyPair& vocabularies,
                                      const PairOptions& options, size_t parts, const PartOfPair& part_of,
                                      const ReadingProgress& progress);

}  // namespace hexapla::data
