// The training loop: it learns, resumes to the same bits, and survives failures.
#include "train/loop/trainer.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "backend/cpu/cpu.h"
#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "decode/text/translator.h"
#include "model/weights/model_file.h"
#include "train/loop/judge.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Made-up models: a line's score is the model's quality and chance, which is another one for every model.
class Judged {
 public:
  // resampled: false: as if nothing was known about chance.
  Judged(uint64_t seed, bool resampled) : random_(seed), resampled_(resampled) {
    options_.best_by = "bleu";
    options_.warmup = 0;
  }
  const Validation& validated(double quality) {
    std::vector<double> lines(100);
    for (double& line : lines) line = quality + 5 * chance();
    Validation v;
    v.bleu = std::accumulate(lines.begin(), lines.end(), 0.0) / double(lines.size());
    v.chrf = 50;
    Random draws(1);
    if (resampled_)
      for (int i = 0; i < 200; ++i) {
        double sum = 0;
        for (size_t k = 0; k < lines.size(); ++k) sum += lines[draws.below(uint32_t(lines.size()))];
        v.resampled["bleu"].push_back(sum / double(lines.size()));
      }
    v.update = ++state_.update;
    Judge(options_, {}, [](const std::string&) {}).judge(v, state_);
    return last_ = v;
  }
  // Validations until 15 of them count, at most `most`.
  int until_patience_ends(double per_validation, int most) {
    for (int i = 1; i < most; ++i)
      if (validated(30 + per_validation * i).stalled == 15) return i;
    return most;
  }

 private:
  double chance() { return random_.uniform() + random_.uniform() + random_.uniform() - 1.5; }  // deviation 0.5
  Random random_;
  bool resampled_;
  TrainOptions options_;
  RunState state_;
  Validation last_;
};

TEST(Judge, NoiseDoesNotStopARunThatImproves) {
  int with = 0, without = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    with += Judged(seed, true).until_patience_ends(0.02, 60) < 60;
    without += Judged(seed, false).until_patience_ends(0.02, 60) < 60;
  }
  EXPECT_GT(without, 10);
  EXPECT_LT(3 * with, without);
}

TEST(Judge, ARunThatNoLongerImprovesEnds) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    EXPECT_LT(Judged(seed, true).until_patience_ends(0, 400), 400) << seed;
    EXPECT_LT(Judged(seed, true).until_patience_ends(-0.3, 400), 25) << seed;
  }
}

TEST(Judge, ABetterScoreIsAlwaysTheBestAndAClearlyWorseOneAlwaysCounts) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    Judged run(seed, true);
    double best = 0;
    for (int i = 0; i < 20; ++i) {
      const Validation v = run.validated(30 + 0.1 * i);  // as in a cooldown
      EXPECT_EQ(v.best, *v.bleu > best);
      best = std::max(best, *v.bleu);
    }
    run.validated(33);
    for (int i = 1; i < 5; ++i) EXPECT_EQ(run.validated(30).stalled, i);
    EXPECT_TRUE(run.validated(34).best);
  }
}

TEST_F(Training, LearnsTwentyPairsByHeart) {
  write_corpus(20);
  TrainOptions o = options("heart");
  o.max_updates = 400;
  o.warmup = 50;
  o.architecture.dropout = 0;
  o.label_smoothing = 0;
  o.valid_every = "100e";
  o.save_every = "400";
  o.average_last = 1;
  const TrainResult result = run(o);
  EXPECT_EQ(result.end, TrainEnd::finished);
  EXPECT_EQ(result.updates, 400);

  const model::LoadedModel model = model::load_model(result.model);
  const text::Vocabulary vocabulary = text::Vocabulary::parse(model.source_vocabulary, "model");
  auto backend = make_cpu_backend();
  const decode::TextTranslator translator(*model.net, vocabulary, vocabulary, *backend);
  const auto source = data::read_checked_lines(folder_ + "/a"), reference = data::read_checked_lines(folder_ + "/b");
  const auto translations = translator.translate(source, {});
  for (size_t i = 0; i < source.size(); ++i) EXPECT_EQ(translations[i].front().text, reference[i]) << source[i];
}

TEST_F(Training, ResumedEqualsUnbroken) {
  TrainOptions whole = options("whole");
  whole.average_last = 3;
  whole.architecture.attention_dropout = 0.1;
  whole.architecture.norm = "batch";  // its statistics are state, too
  expect_resumes_exactly(whole);
}

TEST_F(Training, GoesOnWhenTheLimitIsRaised) {
  TrainOptions first = options("raised"), all = options("at_once");
  first.average_last = all.average_last = 3;
  first.final_model = all.final_model = "mean";  // a best model records the limits of its run
  first.max_updates = 12;
  run(first);
  first.max_updates = 30;
  EXPECT_EQ(run(first).updates, 30);
  run(all);
  EXPECT_TRUE(same_model(first, all));
}

TEST_F(Training, RefusesToMixTwoRuns) {
  TrainOptions o = options("mixed");
  run(o);
  o.architecture.d_ff = 48;
  try {
    run(o);
    FAIL() << "a run was resumed with another model";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("dim-ff was 64, now it is 48"));
    EXPECT_THAT(e.what(), HasSubstr("another `model` folder"));
  }
}

TEST_F(Training, NotANumberStopsAndNamesTheLines) {
  TrainOptions o = options("nan");
  o.lr = 1e30;
  o.warmup = 1;
  try {
    run(o);
    FAIL() << "the loss stayed finite";
  } catch (const RunError& e) {
    EXPECT_TRUE(std::regex_search(e.what(), std::regex("at update [0-9]+; the batch holds lines [0-9]+, [0-9]+")))
        << e.what();
    EXPECT_THAT(e.what(), HasSubstr("lower `lr`"));
  }
}

// Limits files to 20,000 bytes between two updates: like a full disk for a checkpoint.
struct FullDisk : TrainWatcher {
  void updated(const TrainReport& r) override {
    if (r.update == 7) limit(20'000);
    if (r.update == 17) limit(RLIM_INFINITY);
  }
  void note(const std::string& n) override { notes += n + "\n"; }
  void saved(int64_t update, const std::string&) override { updates.push_back(update); }
  static void limit(rlim_t bytes) {
    rlimit now{};
    getrlimit(RLIMIT_FSIZE, &now);
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  std::string notes;
  std::vector<int64_t> updates;
};

TEST_F(Training, AFullDiskCostsACheckpointNotTheRun) {
  std::signal(SIGXFSZ, SIG_IGN);
  TrainOptions o = options("full");
  o.valid_sets.clear();
  FullDisk watcher;
  const TrainResult result = run(o, watcher, false);
  EXPECT_EQ(result.end, TrainEnd::finished);
  EXPECT_THAT(result.missing, testing::IsEmpty()) << "all that was asked for is there in the end";
  EXPECT_THAT(watcher.updates, testing::ElementsAre(5, 20, 25, 30));
  EXPECT_THAT(watcher.notes, HasSubstr("no checkpoint was written; training goes on: cannot write"));
  const auto times = [&](const std::string& what) {
    int n = 0;
    for (size_t at = watcher.notes.find(what); at != std::string::npos; at = watcher.notes.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(times("no checkpoint was written; training goes on"), 1) << "of two that failed";
  EXPECT_EQ(times("writing works again (2 times no checkpoint was written)"), 1);
}

TEST_F(Training, AReadOnlyFolderIsOneClearError) {
  fs::create_directories(folder_ + "/locked");
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(folder_ + "/locked", fs::perms(0555));
  const TrainOptions o = options("locked/run");
  const uid_t before = geteuid();
  if (before == 0 && seteuid(65534) != 0) FAIL() << "cannot stop being root, who may write everywhere";
  const std::string message = what_of<RunError>([&] { run(o); });
  ASSERT_EQ(seteuid(before), 0);
  EXPECT_NE(message.find("locked/run"), std::string::npos) << message;
  EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
}

TEST_F(Training, OptionsAreCheckedBeforeAnythingIsRead) {
  auto message = [&](auto change) {
    TrainOptions o = options("checked");
    change(o);
    try {
      o.check();
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([](auto& o) { o.train_sets.pop_back(); }),
              HasSubstr("`train-sets` takes a source and a target file"));
  EXPECT_THAT(message([](auto& o) { o.valid_every = "often"; }), HasSubstr("`valid-every` is 'often'"));
  EXPECT_THAT(message([](auto& o) { o.label_smoothing = 1; }), HasSubstr("`label-smoothing` is 1"));
  EXPECT_THAT(message([](auto& o) { o.warmup = 0; }), HasSubstr("`warmup` is 0, but must be a whole number from 1"));
  EXPECT_THAT(message([](auto& o) { o.lr = -1; }), HasSubstr("`lr` is -1"));
}

}  // namespace
}  // namespace hexapla::train
