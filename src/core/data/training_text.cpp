#include "data/training_text.h"

#include <algorithm>

#include "base/compute/parallel.h"
#include "base/compute/random.h"
#include "base/error.h"
#include "base/files/hash.h"
#include "data/joined_pairs.h"
#include "text/lines/sentences.h"

namespace hexapla::data {
namespace {

constexpr uint64_t kSampleStream = 0x73616D706C650000;
constexpr int64_t kPairsPerBlock = 16'384, kPairsPerChunk = 128;

bool called_tsv(std::string name) {
  for (const char* packed : {".gz", ".zst", ".xz"})
    if (name.ends_with(packed)) name.resize(name.size() - std::string_view(packed).size());
  return name.ends_with(".tsv");
}

// Keeps `most` of the lines it is shown.
class Reservoir {
 public:
  Reservoir(int64_t most, uint64_t stream) : most_(static_cast<size_t>(most)), random_(0, stream) {}
  void show(const std::string& line) {
    const uint64_t number = shown_++;
    if (kept_.size() < most_) {
      kept_.emplace_back(number, line);
      return;
    }
    const auto slot = static_cast<uint64_t>(random_.uniform() * static_cast<double>(shown_));
    if (slot < most_) kept_[slot] = {number, line};
  }
  std::vector<std::string> take() {
    std::sort(kept_.begin(), kept_.end());
    std::vector<std::string> lines;
    for (auto& [number, line] : kept_) lines.push_back(std::move(line));
    kept_ = {};
    return lines;
  }

 private:
  size_t most_;
  uint64_t shown_ = 0;
  Random random_;
  std::vector<std::pair<uint64_t, std::string>> kept_;
};

// Up to `most` pairs, not encoded yet.
std::vector<EncodedPair> take_block(TrainingText& text, int64_t most) {
  std::vector<EncodedPair> block;
  for (TextPair pair; std::ssize(block) < most && text.next(pair);) block.push_back({std::move(pair), {}});
  return block;
}

// Encodes those that have at least this number of lines, on all threads.
void encode(std::vector<EncodedPair>& block, int64_t lines, const text::VocabularyPair& vocabularies) {
  const auto size = std::ssize(block);
  parallel_for((size + kPairsPerChunk - 1) / kPairsPerChunk, [&](int64_t chunk) {
    const int64_t end = std::min(size, (chunk + 1) * kPairsPerChunk);
    for (int64_t i = chunk * kPairsPerChunk; i < end; ++i) {
      auto& [pair, ids, joined] = block[i];
      if (joined < lines) continue;
      ids.source = vocabularies.source.encode(pair.source);
      ids.target = vocabularies.target.encode(pair.target);
    }
  });
}

// Accumulates the store, the notes and the fingerprint.
class Collector {
 public:
  Collector(const PairOptions& options, size_t sets)
      : options_(options),
        store_(std::make_shared<PairStore>(options.space.memory, options.space.folder)),
        too_long_(sets),
        nothing_(sets),
        unknown_(sets),
        pairs_(sets) {}

  void add(const TextPair& text, Example& example, const text::VocabularyPair& vocabularies) {
    const auto set = static_cast<size_t>(text.corpus);
    if (example.source.empty() || example.target.empty()) return nothing_[set].add(text.line);
    unknown_[set].add(example.source, example.target, vocabularies);
    const size_t source_tokens = example.source.size();
    vocabularies.source.end_source(example.source);
    const size_t longest = std::max(example.source.size(), example.target.size() + 1);
    if (longest > static_cast<size_t>(options_.max_length)) return too_long_[set].add(text.line);
    hash(example.source);
    hash(example.target);
    ++pairs_[set];
    lines_.add(source_tokens, example.target.size(), text::several_sentences(text.source));
    if (options_.keep_text) {
      store_->add({text.corpus, text.line, text.source, text.target});
      return;
    }
    source_.clear();
    target_.clear();
    pack_ids(example.source, source_);
    pack_ids(example.target, target_);
    store_->add({text.corpus, text.line, source_, target_});
  }

  PreparedPairs finish(const std::vector<std::string>& names) {
    PreparedPairs out;
    for (size_t set = 0; set < names.size(); ++set) {
      if (nothing_[set].count()) out.notes.push_back(nothing_[set].note(names[set], "a line has no tokens"));
      if (too_long_[set].count())
        out.notes.push_back(
            too_long_[set].note(names[set], cat("a side has more than ", options_.max_length, " tokens")));
    }
    if (store_->pairs() == 0)
      throw DataError(cat("no usable pair in ", names.front(), out.notes.empty() ? "" : ": " + out.notes.back(),
                          "; raise `max-length` or check the text"));
    store_->finish();
    out.store = store_;
    out.fingerprint = hash_.hex();
    out.unknown = std::move(unknown_);
    out.of_sets = pairs_;
    out.lines = std::move(lines_);
    return out;
  }

 private:
  void hash(const text::Ids& ids) {
    hash_.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int32_t)});
    hash_.add("\n");
  }

  const PairOptions& options_;
  std::shared_ptr<PairStore> store_;
  std::vector<DropCount> too_long_, nothing_;
  std::vector<UnknownTokens> unknown_;
  std::vector<int64_t> pairs_;  // per set
  LineCounts lines_;
  Hash hash_;
  std::string source_, target_;
};

}  // namespace

std::vector<ParallelSource> parse_sets(const std::string& option, const std::vector<std::string>& files, bool tsv) {
  std::vector<ParallelSource> sets;
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw UsageError(cat("`", option, "` names stdin (\"-\") twice: it can be read only once; name a file"));
  for (size_t i = 0; i < files.size(); ++i) {
    if (tsv || called_tsv(files[i]) || files[i] == kPairsOfProgram) {
      sets.push_back({.tsv = files[i]});
      continue;
    }
    if (i + 1 == files.size() || called_tsv(files[i + 1]) || files[i + 1] == kPairsOfProgram)
      throw UsageError(cat("`", option, "` takes a source and a target file in turn, or files called .tsv that hold ",
                           "both, but ", files[i], " has no file of translations"));
    sets.push_back({.source = files[i], .target = files[i + 1]});
    ++i;
  }
  if (sets.empty())
    throw UsageError(cat("`", option, "` is missing: it takes a source and a target file, or one called .tsv"), option,
                     "");
  return sets;
}

TrainingText::TrainingText(const std::vector<ParallelSource>& sets, const ShuffleSpace& space) {
  bool once = false;
  for (const ParallelSource& set : sets) {
    readers_.emplace_back(set);
    names_.push_back(readers_.back().text().name());
    whole_.push_back(set.lines.whole());
    once |= !readers_.back().text().can_rewind();
  }
  if (once) kept_.emplace(space.memory / 2, space.folder);
}

bool TrainingText::next(TextPair& pair) {
  while (next_of_all(pair))
    if (!held_ || !held_->holds(pair.source)) return true;
  return false;
}

bool TrainingText::next_of_all(TextPair& pair) {
  if (again_ && kept_) return next_kept(pair);
  if (!next_read(pair)) return false;
  if (kept_) kept_->add({pair.corpus, pair.line, pair.source, pair.target});
  return true;
}

bool TrainingText::next_read(TextPair& pair) {
  for (; set_ < readers_.size(); ++set_, in_set_ = 0) {
    if (readers_[set_].next(pair.source, pair.target)) {
      pair.corpus = static_cast<int32_t>(set_);
      pair.line = readers_[set_].line_number();
      ++in_set_;
      return true;
    }
    if (!again_) end_set();
  }
  return false;
}

void TrainingText::end_set() {
  const std::vector<std::string> notes = readers_[set_].notes();
  lines_.push_back(readers_[set_].line_number());
  if (in_set_ == 0 && whole_[set_]) throw DataError(cat("no usable pair in ", names_[set_], ": ", notes.front()));
  notes_.insert(notes_.end(), notes.begin(), notes.end());
}

bool TrainingText::next_kept(TextPair& pair) {
  while (left_.empty()) {
    if (block_ == kept_->blocks()) return false;
    open_ = kept_->block(block_++);
    left_ = *open_;
  }
  const PackedPair packed = take_pair(left_);
  pair = {packed.corpus, packed.line, std::string(packed.source), std::string(packed.target)};
  return true;
}

void TrainingText::rewind() {
  if (kept_ && !again_) kept_->finish();
  again_ = true;
  set_ = block_ = 0;
  if (kept_) return;
  for (CheckedReader& reader : readers_) reader.rewind();
}

void for_each_pair(TrainingText& text, const ReadingProgress& progress,
                   const std::function<void(const TextPair&)>& use) {
  int64_t pairs = 0;
  for (TextPair pair; text.next(pair);) {
    use(pair);
    if (++pairs % kPairsPerBlock == 0) progress("reading", pairs);
  }
  text.rewind();
}

LineSample sample_lines(TrainingText& text, int64_t most, const ReadingProgress& progress) {
  Reservoir source(most, kSampleStream), target(most, kSampleStream + 1);
  for_each_pair(text, progress, [&](const TextPair& pair) {
    source.show(pair.source);
    target.show(pair.target);
  });
  return {source.take(), target.take()};
}

std::vector<PreparedPairs> deal_pairs(TrainingText& text, const text::VocabularyPair& vocabularies,
                                      const PairOptions& options, size_t parts, const PartOfPair& part_of,
                                      const ReadingProgress& progress) {
  std::vector<Collector> collectors;
  for (size_t i = 0; i < parts; ++i) collectors.emplace_back(options, text.names().size());
  std::vector<PairJoiner> joiners(parts, {options.join_sentences, options.max_length});
  std::vector<EncodedPair> ready;
  const auto collect = [&] {
    encode(ready, 2, vocabularies);
    for (EncodedPair& pair : ready) collectors.at(part_of(pair.text)).add(pair.text, pair.ids, vocabularies);
    ready.clear();
  };
  int64_t pairs = 0;
  for (;;) {
    std::vector<EncodedPair> block = take_block(text, kPairsPerBlock);
    if (block.empty()) break;
    encode(block, 1, vocabularies);
    for (EncodedPair& pair : block) {
      PairJoiner& joiner = joiners.at(part_of(pair.text));
      if (auto complete = joiner.add(std::move(pair))) ready.push_back(std::move(*complete));
    }
    collect();
    progress("encoding", pairs += std::ssize(block));
  }
  for (PairJoiner& joiner : joiners)
    if (auto last = joiner.finish()) ready.push_back(std::move(*last));
  collect();
  std::vector<PreparedPairs> all;
  for (Collector& collector : collectors) all.push_back(collector.finish(text.names()));
  return all;
}

PreparedPairs prepare_pairs(TrainingText& text, const text::Vocabulary& source, const text::Vocabulary& target,
                            const PairOptions& options, const ReadingProgress& progress) {
  return deal_pairs(
             text, {source, target}, options, 1, [](const TextPair&) { return size_t{0}; }, progress)
      .front();
}

}  // namespace hexapla::data
