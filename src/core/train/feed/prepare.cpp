// Prepares training data from files: pairs, vocabularies, validation sets.
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "data/batches/epoch_parts.h"
#include "data/training_text.h"
#include "text/quantities.h"
#include "text/vocabulary/sampling.h"
#include "train/cluster/agreement.h"
#include "train/feed/own_lines.h"
#include "train/feed/own_pairs.h"
#include "train/feed/run_files.h"
#include "train/feed/training_data.h"
#include "train/plan/init_from.h"
#include "train/record/checkpoint.h"
#include "train/record/earlier_run.h"
#include "train/record/run_vocabularies.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

template <class T>
void add(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

text::VocabularyOptions vocabulary_options(const TrainOptions& o, const std::string& normalization) {
  return {.type = o.text.vocab_type,
          .size = static_cast<int>(o.vocab_size),
          .character_coverage = o.text.character_coverage,
          .normalization = normalization,
          .byte_fallback = o.text.byte_fallback,
          .user_symbols = o.text.user_symbols};
}

text::VocabularyPair load_pair(const std::string& source, const std::string& target) {
  return {text::Vocabulary::load(source), text::Vocabulary::load(target)};
}

text::VocabularyPair load_both(const std::string& path) {
  const text::Vocabulary both = text::Vocabulary::load(path);
  return {both, both};
}

std::optional<text::VocabularyPair> given_vocabularies(const TrainOptions& o, bool separate) {
  if (separate && !o.text.vocabs.empty()) return load_pair(o.text.vocabs[0], o.text.vocabs[1]);
  if (!separate && !o.vocab.empty()) return load_both(o.vocab);
  if (!separate && !o.init_from.empty()) return vocabularies_of_model(o.init_from);
  return {};
}

text::VocabularyPair train_vocabularies(const TrainOptions& o, data::LineSample sample, bool separate) {
  const text::VocabularyOptions of_source = vocabulary_options(o, o.text.source_normalization);
  if (!separate)
    return text::train_joint_vocabulary(std::move(sample.source), std::move(sample.target), of_source,
                                        o.text.target_normalization);
  return {text::Vocabulary::train(sample.source, of_source),
          text::Vocabulary::train(sample.target, vocabulary_options(o, o.text.target_normalization))};
}

// On errors, also names the run's own copy if it has one.
std::optional<text::VocabularyPair> given_vocabularies(const TrainOptions& o, bool separate,
                                                       const std::optional<VocabularyRecord>& record) try {
  return given_vocabularies(o, separate);
} catch (const DataError& e) {
  if (!record || given_vocabulary(o) == "init-from") throw;
  throw DataError(cat(e.what(), "; the run has a copy: give ", how_to_give_copies(o.model)));
}

text::VocabularyPair find_or_train_vocabularies(const TrainOptions& o, data::TrainingText& text,
                                                const data::ReadingProgress& progress) {
  const bool separate = o.text.separate();
  const std::optional<VocabularyRecord> record = VocabularyRecord::of_run(o.model);
  if (record) record->compare(o);
  std::optional<text::VocabularyPair> found = given_vocabularies(o, separate, record);
  if (found && record) record->compare(o, *found);
  if (!found && record) found = vocabularies_of_run(o.model, separate);
  if (found) return *found;
  data::LineSample sample = data::sample_lines(text, o.text.vocab_lines / 2, progress);
  progress("training the vocabulary", 0);
  return train_vocabularies(o, std::move(sample), separate);
}

// Sends the first process's vocabularies to all.
void share_vocabularies(cluster::Processes& processes, std::optional<text::VocabularyPair>& both) {
  if (!processes.several()) return;
  const std::string own = both ? cluster::pack({both->source.bytes(), both->target.bytes()}) : std::string();
  const std::vector<std::string> bytes = cluster::unpack(cluster::of_first(processes, own));
  if (!both)
    both = {text::Vocabulary::parse(bytes[0], "the vocabulary of the first process"),
            text::Vocabulary::parse(bytes[1], "the vocabulary of the first process")};
}

// File name of the references; the whole path if two sets share the name.
std::vector<std::string> names_of(const std::vector<data::ParallelSource>& sets) {
  auto path = [](const data::ParallelSource& set) { return set.tsv.empty() ? set.target : set.tsv; };
  std::map<std::string, int> times;
  for (const data::ParallelSource& set : sets) ++times[fs::path(path(set)).filename()];
  std::vector<std::string> names;
  for (const data::ParallelSource& set : sets) {
    const std::string name = fs::path(path(set)).filename();
    names.push_back(times[name] == 1 ? name : path(set));
  }
  return names;
}

// The sets of an option, including the program's pairs.
std::vector<data::ParallelSource> sets_of(const std::string& option, const std::vector<std::string>& files, bool tsv,
                                          const data::PairFunction& pairs) {
  std::vector<data::ParallelSource> sets = data::parse_sets(option, files, tsv);
  for (data::ParallelSource& set : sets)
    if (set.tsv == data::kPairsOfProgram) set.pairs = pairs;
  return sets;
}

void say_unknown(const data::UnknownTokens& counts, const std::string& set, TrainingData& data) {
  data.unknown.emplace_back(set, counts);
  if (std::string many = counts.warning(set); !many.empty()) data.notes.push_back(std::move(many));
}

void add_validation(const TrainOptions& o, const std::string& name, data::Corpus corpus, TrainingData& data) {
  data::Encoded encoded = data::encode_corpus(corpus, data.pairs.source, data.pairs.target, o.max_length);
  data.valid_sets.push_back({name, corpus.source.size(), encoded.examples.size()});
  add(data.valid, std::move(encoded.examples));
  add(data.valid_source, std::move(corpus.source));
  add(data.valid_reference, std::move(corpus.target));
  add(data.notes, std::move(corpus.notes));
  add(data.notes, std::move(encoded.notes));
  say_unknown(encoded.unknown, name, data);
}

void read_validation(const TrainOptions& o, const data::PairFunction& pairs, TrainingData& data) {
  const std::vector<data::ParallelSource> sets = sets_of("valid-sets", o.valid_sets, o.text.tsv, pairs);
  const std::vector<std::string> names = names_of(sets);
  auto name = names.begin();
  for (const data::ParallelSource& set : sets) add_validation(o, *name++, data::read_parallel(set), data);
}

// Reads the whole text for the lines that `hold-out` asks for, and leaves them out of it.
std::vector<data::TextPair> hold_out(const TrainOptions& o, data::TrainingText& text,
                                     const data::ReadingProgress& progress, cluster::Processes& processes) {
  auto held = std::make_shared<data::HeldOut>(o.hold_out);
  std::vector<std::string> firsts;
  if (processes.first()) {
    data::for_each_pair(text, progress, [&](const data::TextPair& pair) { held->show(pair); });
    held->settle();
    for (const data::TextPair& pair : held->pairs())
      add(firsts, {cat(pair.corpus), cat(pair.line), pair.source, pair.target});
  }
  firsts = cluster::unpack(cluster::of_first(processes, cluster::pack(firsts)));
  if (!processes.first())
    for (size_t i = 0; i + 3 < firsts.size(); i += 4)
      held->show({std::stoi(firsts[i]), std::stoll(firsts[i + 1]), firsts[i + 2], firsts[i + 3]});
  text.leave_out(held);
  return held->pairs();
}

void validate_on(const std::vector<data::TextPair>& held, const TrainOptions& o, TrainingData& data) {
  if (held.empty())
    data.notes.push_back("`hold-out`: the lines are too much alike to hold some out; nothing is validated");
  if (held.empty()) return;
  data::Corpus corpus;
  for (const data::TextPair& pair : held) {
    corpus.source.push_back(pair.source);
    corpus.target.push_back(pair.target);
    corpus.lines.push_back(pair.line);
  }
  corpus.file_lines = corpus.size();
  add_validation(o, "held-out lines", std::move(corpus), data);
  data.notes.push_back(cat("validates on ", text::counted(std::ssize(held), "line"),
                           " of the training sets, which are not trained on (`hold-out`)"));
}

// Concatenates the texts of all processes in order.
std::vector<std::string> of_all(cluster::Processes& processes, const std::vector<std::string>& own) {
  if (!processes.several()) return own;
  std::vector<std::string> all;
  for (const std::string& texts : cluster::gather(processes, cluster::pack(own))) add(all, cluster::unpack(texts));
  return all;
}

// Defaults are not recorded, so that runs from before these options can be resumed.
void name_choices(const TrainOptions& o, const std::vector<int64_t>& of_sets, TrainingData& data) {
  std::string weights;
  for (const double w : o.text.train_weights) weights += cat(weights.empty() ? "" : " ", w);
  if (!weights.empty()) data.identity["train-weights"] = weights;
  // If weights differ, it matters which set a line is in.
  if (!weights.empty()) data.identity[kPairsOfSets] = fmt::format("{}", fmt::join(of_sets, " "));
  if (o.text.subword_alpha > 0) data.identity["subword-alpha"] = cat(o.text.subword_alpha);
  if (o.text.join_sentences > 0) data.identity["join-sentences"] = cat(o.text.join_sentences);
  std::vector<std::string> own;
  for (size_t i = 0; i < std::max<size_t>(1, data.shards.size()); ++i)
    own.push_back(cat(data::shuffle_parts(pairs_of_shard(data, i), data.space)));
  std::string parts;
  bool several = false;
  for (const std::string& n : of_all(*data.processes, own)) {
    parts += (parts.empty() ? "" : " ") + n;
    several |= n != "1";
  }
  if (several) data.identity[kPartsOfPairs] = parts;
}

// Counts for each training set, over all shards of all processes.
std::vector<data::UnknownTokens> unknown_tokens(cluster::Processes& processes, const OwnPairs& pairs, size_t sets) {
  std::vector<data::UnknownTokens> all(sets);
  for (const data::PreparedPairs& shard : pairs.shards)
    for (size_t i = 0; i < shard.unknown.size(); ++i) all[i].add(shard.unknown[i]);
  if (processes.several()) {
    std::vector<std::string> own;
    for (const data::UnknownTokens& u : std::exchange(all, std::vector<data::UnknownTokens>(sets)))
      for (const auto& counts : {u.tokens, u.unknown})
        for (const int64_t count : counts) own.push_back(cat(count));
    for (const std::string& others : cluster::gather(processes, cluster::pack(own))) {
      const std::vector<std::string> n = cluster::unpack(others);
      for (size_t i = 0; i < all.size(); ++i)
        all[i].add({{std::stoll(n.at(4 * i)), std::stoll(n.at(4 * i + 1))},
                    {std::stoll(n.at(4 * i + 2)), std::stoll(n.at(4 * i + 3))}});
    }
  }
  return all;
}

// Counts all shards of all processes.
data::LineCounts line_counts(cluster::Processes& processes, const OwnPairs& pairs) {
  data::LineCounts all;
  for (const data::PreparedPairs& shard : pairs.shards) all.add(shard.lines);
  if (!processes.several()) return all;
  std::vector<std::string> own;
  const std::vector<int64_t> counts = std::exchange(all, {}).numbers();
  for (const int64_t n : counts) own.push_back(cat(n));
  for (const std::string& others : cluster::gather(processes, cluster::pack(own))) {
    std::vector<int64_t> numbers;
    for (const std::string& n : cluster::unpack(others)) numbers.push_back(std::stoll(n));
    all.add(data::LineCounts::from_numbers(numbers));
  }
  return all;
}

// The search that the models of the run bring. One that ends with a full beam ends too early where a model is sure
// (docs/adr/0011); runs that earlier versions began keep it.
std::map<std::string, std::string> search_of_run(const std::string& folder) {
  const std::optional<EarlierRun> earlier = EarlierRun::in(folder);
  if (!earlier) return {{"stop-when", "outscored"}};
  return earlier->usage.empty() ? model::Usage().search : model::Usage::from_json(earlier->usage, folder).search;
}

// Usage of the initial model, with the lengths of this text.
model::Usage usage_of(const TrainOptions& o, const data::LineCounts& lines) {
  model::Usage usage = o.init_from.empty() ? model::Usage() : usage_of_model(o.init_from);
  usage.source_lengths = lines.lengths(0, model::kLengthShares);
  usage.target_lengths = lines.lengths(1, model::kLengthShares);
  if (o.init_from.empty()) usage.search = search_of_run(o.model);
  usage.several_sentences = static_cast<double>(lines.several) / static_cast<double>(lines.lines);
  return usage;
}

std::vector<std::string> paths_of_options(const TrainOptions& o) {
  std::vector<std::string> paths = o.train_sets;
  paths.insert(paths.end(), o.valid_sets.begin(), o.valid_sets.end());
  for (const std::string& file : {o.guided_alignment, o.init_from})
    if (!file.empty()) paths.push_back(file);
  return paths;
}

// Checks that all processes have the same files; then the first one describes them.
std::vector<DataFile> describe_together(const TrainOptions& o, cluster::Processes& processes) {
  require_same_files(processes, paths_of_options(o));
  std::vector<DataFile> files;
  std::vector<std::string> texts;
  if (processes.first()) files = describe_files(paths_of_options(o));
  for (const DataFile& f : files) texts.insert(texts.end(), {f.path, f.hash, cat(f.bytes)});
  texts = cluster::unpack(cluster::of_first(processes, cluster::pack(texts)));
  files.clear();
  for (size_t i = 0; i + 2 < texts.size(); i += 3) files.push_back({texts[i], texts[i + 1], std::stoll(texts[i + 2])});
  return files;
}

std::shared_ptr<const RunLock> lock_of_run(const std::string& folder) {
  try {
    return std::make_shared<const RunLock>(folder);
  } catch (const NoSpaceError&) {
    throw;
  } catch (const RunError& e) {
    throw RunError(cat(e.what(), " (`model`)"));
  }
}

void check_options(const TrainOptions& o, cluster::Processes& processes) {
  o.check();
  if (!o.text.temp_dir.empty() && !fs::is_directory(o.text.temp_dir))
    throw UsageError(cat("`temp-dir` ", o.text.temp_dir, " is not a folder; create it first, or name an existing one"));
  refuse_own_files(o);
  check_shares(o, processes);
}

// For all shards together, regardless of who computes them: the order of the pairs depends on it.
data::ShuffleSpace space_of(const TrainOptions& o) {
  return {(static_cast<size_t>(o.text.shuffle_memory) << 20) / static_cast<size_t>(o.shards),
          o.text.temp_dir.empty() ? o.model : o.text.temp_dir};
}

}  // namespace

data::TrainingPairs pairs_of_shard(const TrainingData& data, size_t i) {
  data::TrainingPairs pairs = data.pairs;
  if (!data.shards.empty()) pairs.store = data.shards.at(i);
  return pairs;
}

OpenedText::OpenedText(const TrainOptions& o, const ProgramPairs& given, cluster::Processes& processes)
    : sets((check_options(o, processes), sets_of("train-sets", o.train_sets, o.text.tsv, given.train))),
      space(space_of(o)),
      text(sets, space),
      lock(processes.first() ? lock_of_run(o.model) : nullptr),
      files(describe_together(o, processes)) {}

TrainingData prepare_data(const TrainOptions& o, const data::ReadingProgress& progress, const ProgramPairs& given,
                          cluster::Processes& processes) {
  OpenedText opened(o, given, processes);
  return prepare_data(opened, o, progress, given, processes);
}

TrainingData prepare_data(OpenedText& opened, const TrainOptions& o, const data::ReadingProgress& progress,
                          const ProgramPairs& given, cluster::Processes& processes) {
  data::TrainingText& text = opened.text;
  std::vector<data::TextPair> held;
  if (o.hold_out > 0) held = hold_out(o, text, progress, processes);
  std::optional<text::VocabularyPair> vocabularies;
  if (processes.first()) vocabularies = find_or_train_vocabularies(o, text, progress);
  share_vocabularies(processes, vocabularies);
  if (o.text.subword_alpha > 0) {  // check before reading everything that subwords can be sampled
    [[maybe_unused]] const text::SubwordSampler source(vocabularies->source, o.text.subword_alpha);
    [[maybe_unused]] const text::SubwordSampler target(vocabularies->target, o.text.subword_alpha);
  }
  OwnPairs pairs = prepare_own_pairs(
      o, opened.sets, text, *vocabularies,
      {{o.max_length, o.text.subword_alpha > 0, opened.space, o.text.join_sentences}, progress, processes});
  std::vector<double> weights = o.text.train_weights;
  if (weights.empty()) weights.assign(text.names().size(), 1);
  TrainingData data{.pairs = {pairs.shards.front().store, vocabularies->source, vocabularies->target,
                              std::move(weights), o.text.subword_alpha}};
  data.examples = pairs.examples;
  data.lock = std::move(opened.lock);
  data.processes = &processes;
  data.space = opened.space;
  data.sets = text.names();
  data.files = std::move(opened.files);
  data.identity["training data"] = pairs.fingerprint;
  add(data.notes, std::move(pairs.notes));
  for (data::PreparedPairs& shard : pairs.shards) {
    if (o.shards > 1) data.shards.push_back(shard.store);
    add(data.notes, std::move(shard.notes));
  }
  data.notes = of_all(processes, data.notes);
  const std::vector<data::UnknownTokens> unknown = unknown_tokens(processes, pairs, data.sets.size());
  for (size_t i = 0; i < data.sets.size(); ++i) say_unknown(unknown[i], data.sets[i], data);
  data.usage = usage_of(o, line_counts(processes, pairs));
  if (!o.valid_sets.empty()) read_validation(o, given.valid, data);
  if (o.hold_out > 0) validate_on(held, o, data);
  name_choices(o, pairs.of_sets, data);
  return data;
}

}  // namespace hexapla::train
