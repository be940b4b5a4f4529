#pragma once
// The training sets as one stream of checked pairs, and what is made of it: a sample of lines for a vocabulary, and the
// pairs that training draws from. Memory stays within what is given, however long the text is.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/batches/batch_stream.h"
#include "data/batches/line_counts.h"
#include "data/batches/pair_store.h"
#include "data/files/corpus.h"

namespace hexapla::data {

struct TextPair {
  int32_t corpus = 0;
  int64_t line = 0;
  std::string source, target;
};

// a.en a.de b.tsv: files in turn source and target, but one that is called .tsv (.gz, .zst, .xz too), or
// any where `tsv` says so, holds both. UsageError naming the option: a file without its translation, stdin twice.
std::vector<ParallelSource> parse_sets(const std::string& option, const std::vector<std::string>& files, bool tsv);

class TrainingText {
 public:
  // What can be read only once (a pipe) is kept for a second reading: in memory, or in the folder.
  TrainingText(const std::vector<ParallelSource>& sets, const ShuffleSpace& space);

  // The next usable pair of the sets, one set after the other. DataError: as CheckedReader; a set that is read whole
  // without any pair.
  bool next(TextPair& pair);
  void rewind();  // once, after the last pair

  const std::vector<std::string>& names() const { return names_; }  // "a.en + a.de", of each set
  const std::vector<std::string>& notes() const { return notes_; }  // what was dropped in the first reading
  bool read_once() const { return kept_.has_value(); }              // a set is a pipe, or a program's pairs
  const std::vector<int64_t>& lines() const { return lines_; }      // of each set, after its last pair

 private:
  bool next_read(TextPair& pair);
  bool next_kept(TextPair& pair);
  void end_set();

  std::vector<CheckedReader> readers_;
  std::vector<bool> whole_;  // not a part of the lines alone
  std::vector<std::string> names_, notes_;
  std::vector<int64_t> lines_;
  std::optional<PairStore> kept_;  // of what cannot be read twice: everything
  size_t set_ = 0;
  int64_t in_set_ = 0;  // pairs so far
  bool again_ = false;
  size_t block_ = 0;  // of kept_
  PairBlock held_;
  std::string_view left_;
};

// How far a reading is, for whoever shows it.
using ReadingProgress = std::function<void(const char* what, int64_t pairs)>;

// At most `most` lines of each side, each as likely as any other and in the order of the text; the same for the same
// text (Algorithm R, Vitter 1985).
struct LineSample {
  std::vector<std::string> source, target;
};
LineSample sample_lines(TrainingText& text, int64_t most, const ReadingProgress& progress);

struct PreparedPairs {
  std::shared_ptr<const PairStore> store;
  std::vector<std::string> notes;        // what was dropped for its length in tokens
  std::string fingerprint;               // of all ids
  std::vector<UnknownTokens> unknown{};  // of each set
  std::vector<int64_t> of_sets{};        // how many pairs of each training set
  LineCounts lines{};                    // of all sets
};
struct PairOptions {
  int64_t max_length = 256;
  bool keep_text = false;  // the store has text, for segmentations to be drawn from
  ShuffleSpace space;
  double join_sentences = 0;  // probability that a pair is joined to the one before it (data/joined_pairs.h)
};
// Which of several stores has a pair.
using PartOfPair = std::function<size_t(const TextPair&)>;
// Encodes everything on all threads. A pair is dropped with a note as encode_corpus does. DataError: none is left.
PreparedPairs prepare_pairs(TrainingText& text, const text::Vocabulary& source, const text::Vocabulary& target,
                            const PairOptions& options, const ReadingProgress& progress);
// The same in so many stores, each with the memory of the options.
std::vector<PreparedPairs> deal_pairs(TrainingText& text, const text::VocabularyPair& vocabularies,
                                      const PairOptions& options, size_t parts, const PartOfPair& part_of,
                                      const ReadingProgress& progress);

}  // namespace hexapla::data
