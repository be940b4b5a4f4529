#include "lib/tune/tuning_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/json.h"
#include "text/quantities.h"
#include "train/plan/resolve/resolve.h"
#include "train/record/provenance.h"

namespace hexapla::train::tune {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostHeldOut = 1000, kFewestPairs = 100;

const std::vector<std::string>* values_of(const std::vector<GivenOption>& given, const std::string& name) {
  const std::vector<std::string>* last = nullptr;
  for (const GivenOption& g : given)
    if (g.name == name) last = &g.values;
  return last;
}

bool is_tsv(const std::vector<GivenOption>& given) {
  const auto* values = values_of(given, "tsv");
  return values && switched("tsv", values->back());
}

void replace(std::vector<GivenOption>& given, const std::string& name, const std::vector<std::string>& values) {
  std::erase_if(given, [&](const GivenOption& g) { return g.name == name; });
  given.push_back({name, values});
}

void refuse_what_is_read_once(const std::vector<data::ParallelSource>& sets, const char* option) {
  for (const data::ParallelSource& set : sets)
    if (!set.can_be_read_again())
      throw UsageError(cat("`", option, "` ", set.tsv.empty() ? set.source + " " + set.target : set.tsv,
                           " can be read only once, but every trial reads it; write it to files first"));
}

class SidePair {
 public:
  explicit SidePair(const std::string& name) : source_(name + ".source"), target_(name + ".target") {}
  void write(const data::TextPair& pair) {
    source_.write(pair.source);
    target_.write(pair.target);
  }
  void finish() {
    source_.finish();
    target_.finish();
  }
  void commit() {
    source_.commit();
    target_.commit();
  }

 private:
  data::LineWriter source_, target_;
};

int64_t count(data::TrainingText& text, const data::ReadingProgress& progress) {
  int64_t pairs = 0;
  for (data::TextPair pair; text.next(pair); ++pairs)
    if (pairs % 1000 == 0) progress("reading", pairs);
  text.rewind();
  return pairs;
}

std::string train_file(const std::string& folder, size_t set) { return fmt::format("{}/train-{}", folder, set + 1); }

// Describes the source of the files in FOLDER.
std::string text_of(const std::vector<std::string>& sets, bool tsv, int64_t n) {
  nlohmann::ordered_json j{{"train-sets", sets}, {"tsv", tsv}, {"one in", n}};
  for (const train::DataFile& file : train::describe_files(sets)) j["bytes"].push_back(file.hash);
  return json_text(j, 1) + "\n";
}

// The pairs at 0, n, 2n, ... are held out for validation.
void divide(data::TrainingText& text, const std::string& folder, int64_t n) {
  SidePair valid(folder + "/valid");
  std::vector<SidePair> train;
  for (size_t set = 0; set < text.names().size(); ++set) train.emplace_back(train_file(folder, set));
  data::TextPair pair;
  for (int64_t i = 0; text.next(pair); ++i) (i % n == 0 ? valid : train[pair.corpus]).write(pair);
  valid.finish();
  for (SidePair& t : train) t.finish();
  for (SidePair& t : train) t.commit();
  valid.commit();
}

std::string told(const std::string& folder, int64_t pairs, int64_t n) {
  return fmt::format(
      "without `valid-sets`, one in {} of the {} usable training pairs is measured on and not trained on: {}", n,
      text::grouped(pairs), folder + "/valid.source and .target");
}

}  // namespace

TuningText with_validation(std::vector<GivenOption> given, const std::string& folder,
                           const data::ReadingProgress& progress) {
  const auto* sets = values_of(given, "train-sets");
  if (!sets) throw UsageError("`train-sets` is missing: give the text to train on");
  const std::vector<data::ParallelSource> all = data::parse_sets("train-sets", *sets, is_tsv(given));
  refuse_what_is_read_once(all, "train-sets");
  if (const auto* valid = values_of(given, "valid-sets")) {
    refuse_what_is_read_once(data::parse_sets("valid-sets", *valid, is_tsv(given)), "valid-sets");
    return {std::move(given), ""};
  }
  if (values_of(given, "guided-alignment"))
    throw UsageError(
        "`guided-alignment` counts the lines of the training set, so none of them can be held out: give "
        "`valid-sets`");
  make_folder(folder);
  data::TrainingText text(all, {});
  const int64_t pairs = count(text, progress);
  if (pairs < kFewestPairs)
    throw DataError(
        fmt::format("{}: {}, too few to hold some of them out for measuring; give `valid-sets`, or more text",
                    text.names().front(), text::counted(pairs, "usable pair")));
  const int64_t n = std::max<int64_t>(10, (pairs + kMostHeldOut - 1) / kMostHeldOut);
  const std::string record = folder + "/text.json", of = text_of(*sets, is_tsv(given), n);
  if (!fs::exists(record) || read_file(record) != of) {
    fs::remove(record);  // removed while writing: it must not describe incomplete files
    divide(text, folder, n);
    write_file_atomically(record, of);
  }
  std::vector<std::string> train;
  for (size_t set = 0; set < all.size(); ++set)
    for (const char* side : {".source", ".target"}) train.push_back(train_file(folder, set) + side);
  replace(given, "train-sets", train);
  replace(given, "valid-sets", {folder + "/valid.source", folder + "/valid.target"});
  std::erase_if(given, [](const GivenOption& g) { return g.name == "tsv"; });
  return {std::move(given), told(folder, pairs, n)};
}

data::Corpus read_validation(const std::vector<std::string>& files, bool tsv, int64_t most) {
  data::Corpus all;
  for (const data::ParallelSource& set : data::parse_sets("valid-sets", files, tsv)) {
    data::Corpus c = data::read_parallel(set);
    std::move(c.source.begin(), c.source.end(), std::back_inserter(all.source));
    std::move(c.target.begin(), c.target.end(), std::back_inserter(all.target));
  }
  const int64_t count = std::min(most, all.size());
  data::Corpus some;
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i * all.size() / count);
    some.source.push_back(std::move(all.source[at]));
    some.target.push_back(std::move(all.target[at]));
  }
  return some;
}

}  // namespace hexapla::train::tune
