// A vocabulary in a run's folder belongs to the run only if a checkpoint says so; from then on the
// run keeps it and rejects options for another one.
#include "train/record/run_vocabularies.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

struct KilledEarly {};

struct KilledAfter : TrainWatcher {
  explicit KilledAfter(int64_t update) : update_(update) {}
  void note(const std::string& n) override { notes += n + "\n"; }
  void updated(const TrainReport& r) override {
    if (r.update == update_) throw KilledEarly();
  }
  std::string notes;

 private:
  int64_t update_;
};

using ChangeOfVocabulary = std::function<void(TrainOptions&)>;

class RunVocabulary : public Training {
 protected:
  RunVocabulary() {
    TrainOptions other = plain("other");
    other.text.target_normalization = other.text.source_normalization;
    other.vocab_size = 45;
    other_model_ = run(other).model;
    other_ = other.model + "/vocab.spm";
  }
  // Makes one update after its first checkpoint; the vocabulary is as large as the text allows.
  TrainOptions plain(const std::string& name) const {
    TrainOptions o = options(name);
    o.vocab_size = 330;
    o.max_updates = 6;
    o.warmup = 4;
    o.valid_sets.clear();
    return o;
  }
  // Changes each vocabulary option.
  std::map<std::string, ChangeOfVocabulary> changes() const {
    const std::string other = other_;
    return {{"vocab", [=](TrainOptions& o) { o.vocab = other; }},
            {"vocabs",
             [=](TrainOptions& o) {
               o.text.vocabs = {other, other};
             }},
            {"vocab-size", [](TrainOptions& o) { o.vocab_size = 40; }},
            {"vocab-type", [](TrainOptions& o) { o.text.vocab_type = "bpe"; }},
            {"separate-vocabs", [](TrainOptions& o) { o.text.separate_vocabs = true; }},
            {"character-coverage", [](TrainOptions& o) { o.text.character_coverage = 0.98; }},
            {"byte-fallback", [](TrainOptions& o) { o.text.byte_fallback = true; }},
            {"user-symbols",
             [](TrainOptions& o) {
               o.text.user_symbols = {"<x>", "house"};
             }},
            {"source-normalization", [](TrainOptions& o) { o.text.source_normalization = "keep"; }},
            {"target-normalization", [](TrainOptions& o) { o.text.target_normalization = "nmt_nfkc"; }},
            {"vocab-lines", [](TrainOptions& o) { o.text.vocab_lines = 20; }}};
  }
  std::map<std::string, ChangeOfVocabulary> all_changes() const {
    std::map<std::string, ChangeOfVocabulary> all = changes();
    const std::string other = other_model_;
    all["init-from"] = [=](TrainOptions& o) { o.init_from = other; };
    all["train-sets"] = [this](TrainOptions& o) {
      write_toy_corpus(folder_ + "/c", folder_ + "/d", 50, 3);
      o.train_sets = {folder_ + "/d", folder_ + "/c"};
    };
    return all;
  }
  // Ways to end a run before its first checkpoint, or lose it.
  std::map<std::string, std::function<void(TrainOptions)>> ends() const {
    return {{"killed",
             [this](const TrainOptions& o) {
               KilledAfter watcher(2);
               EXPECT_THROW(run(o, watcher, false), KilledEarly);
             }},
            {"not a number",
             [this](TrainOptions o) {
               o.lr = 1e30;
               EXPECT_THROW(run(o), RunError);
             }},
            {"checkpoints removed", [this](const TrainOptions& o) {
               run(o);
               fs::remove_all(o.model + "/checkpoints");
             }}};
  }
  static std::map<std::string, std::string> vocabularies(const TrainOptions& o) {
    std::map<std::string, std::string> files;
    for (const char* name : {"vocab.spm", "vocab.source.spm", "vocab.target.spm"})
      if (fs::exists(o.model + "/" + name)) files[name] = read_file(o.model + "/" + name);
    return files;
  }
  std::string told(const TrainOptions& o) const {
    KilledAfter watcher(-1);
    run(o, watcher, false);
    return watcher.notes;
  }
  std::string other_, other_model_;
};

TEST_F(RunVocabulary, EveryOptionOfItIsTried) {
  std::vector<std::string> declared, tried;
  for (const OptionRow& row : TrainOptions().rows())
    if (row.effect == Effect::vocabulary) declared.emplace_back(row.name);
  for (const auto& [name, change] : changes()) tried.push_back(name);
  EXPECT_THAT(tried, testing::UnorderedElementsAreArray(declared));
}

// Each option is changed after one of the ends, which take turns: all of them leave the same vocabulary.
TEST_F(RunVocabulary, WithoutACheckpointItIsMadeAnew) {
  const auto all_ends = ends();
  auto next = all_ends.begin();
  for (const auto& [option, change] : all_changes()) {
    if (next == all_ends.end()) next = all_ends.begin();
    const auto& [end, leave] = *next++;
    SCOPED_TRACE(cat(option, ", ", end));
    TrainOptions fresh = plain("fresh_" + option), o = plain("left_" + option);
    change(fresh);
    run(fresh);
    leave(o);
    const auto left = vocabularies(o);
    change(o);
    const std::string notes = told(o);
    EXPECT_TRUE(same_model(o, fresh));
    EXPECT_EQ(vocabularies(o), vocabularies(fresh));
    EXPECT_EQ(notes.find("left by an earlier start") != notes.npos, left != vocabularies(o)) << notes;
  }
}

TEST_F(RunVocabulary, TheSameCommandGivesTheSameRunAfterAnEarlyEnd) {
  TrainOptions fresh = plain("fresh");
  run(fresh);
  for (const auto& [end, leave] : ends()) {
    const TrainOptions o = plain("again_" + end);
    leave(o);
    EXPECT_THAT(told(o), testing::AnyOf("", testing::HasSubstr("done again"))) << end << ": nothing of a vocabulary";
    EXPECT_TRUE(same_model(o, fresh)) << end;
  }
}

TEST_F(RunVocabulary, WithACheckpointAnotherOneIsRefused) {
  const TrainOptions o = plain("resumed");
  run(o);
  const std::string model = read_file(o.model + "/model.safetensors");
  for (const auto& [option, change] : all_changes()) {
    TrainOptions other = o;
    change(other);
    other.max_updates = 8;
    const std::string refusal = what_of<UsageError>([&] { run(other); });
    EXPECT_THAT(refusal, HasSubstr("another `model` folder")) << option;
    if (option != "train-sets") {
      EXPECT_THAT(refusal, HasSubstr(cat("`", option, "`"))) << option;
    }
    EXPECT_EQ(read_file(o.model + "/model.safetensors"), model) << option;
  }
  TrainOptions small = o;
  small.vocab_size = 40;
  EXPECT_THAT(what_of<UsageError>([&] { run(small); }),
              HasSubstr(cat(o.model, " holds a run with other options: `vocab-size` was 330, now it is 40; give the ",
                            "options of that run, or another `model` folder")));
}

TEST_F(RunVocabulary, AFileThatIsGivenIsOpenedAndCompared) {
  for (const bool both : {false, true}) {
    TrainOptions o = plain(cat("given", both));
    const auto give = [&](const std::string& file) {
      if (both)
        o.text.vocabs = {file, file};
      else
        o.vocab = file;
    };
    fs::copy_file(other_, folder_ + "/moved", fs::copy_options::overwrite_existing);
    give(folder_ + "/moved");
    run(o);
    o.max_updates = 8;
    fs::remove(folder_ + "/moved");
    EXPECT_THAT(
        what_of<DataError>([&] { run(o); }),
        AllOf(HasSubstr(folder_ + "/moved"), HasSubstr(cat("the run has a copy: give `vocab", both ? "s" : ""))));
    write_file_atomically(folder_ + "/moved", read_file(o.model + (both ? "/vocab.source.spm" : "/vocab.spm")));
    EXPECT_EQ(told(o), "") << "the same bytes under the same name";
    give(other_);
    o.max_updates = 10;
    EXPECT_EQ(told(o), "") << "the same bytes under another name";
    give("");
    o.text.vocabs.clear();
    EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
                AllOf(HasSubstr("spm), now it is none"), HasSubstr("its copy: " + o.model)));
  }
}

// Damaged checkpoints are skipped; without any intact one the run starts over.
TEST_F(RunVocabulary, ADamagedCheckpointVouchesForNone) {
  TrainOptions o = plain("damaged"), fresh = plain("fresh");
  run(o);
  for (const auto& entry : fs::directory_iterator(o.model + "/checkpoints"))
    fs::resize_file(entry.path() / "tensors.safetensors", 100);
  o.vocab_size = fresh.vocab_size = 40;
  run(o);
  run(fresh);
  EXPECT_TRUE(same_model(o, fresh));
}

}  // namespace
}  // namespace hexapla::train
