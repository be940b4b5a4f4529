#include <gmock/gmock.h>

#include <fmt/format.h>
#include <chrono>
#include <filesystem>
#include <regex>
#include <thread>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/options/environment.h"
#include "data/files/lines.h"
#include "lib/tune/trial.h"
#include "lib/tune/tuning.h"
#include "lib/tune/tuning_report.h"
#include "lib/tune/tuning_text.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train::tune {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_of(const std::vector<Candidate>& all) {
  std::vector<std::string> names;
  for (const Candidate& c : all) names.push_back(c.name);
  return names;
}

TEST(Candidates, BeginWithTheBaselineAndDiffer) {
  const auto all = make_candidates(train::preset_options("tiny"), {}, 9876, 27);
  ASSERT_EQ(all.size(), 27u);
  EXPECT_TRUE(all[0].changes.empty());
  const std::vector<std::string> names = names_of(all);
  EXPECT_THAT(std::vector(names.begin(), names.begin() + 5),
              ElementsAre("preset tiny", "vocab-size 4900", "vocab-size 2500",
                          "vocab-size 4900, dim-model 256, dim-ff 512", "vocab-size 2500, dropout 0.4"));
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), 27u);
  EXPECT_EQ(names_of(make_candidates(train::preset_options("tiny"), {}, 9876, 27)), names);
}

TEST(Candidates, NeverChangeWhatWasGiven) {
  const std::set<std::string> given{"vocab", "dropout", "lr"};
  for (const Candidate& c : make_candidates(train::preset_options("tiny"), given, 5000, 40))
    for (const GivenOption& change : c.changes)
      EXPECT_THAT(change.name, testing::AnyOf("dim-model", "dim-ff")) << "a vocabulary that is given is as it is";
  EXPECT_EQ(make_candidates(train::preset_options("tiny"), given, 5000, 40).size(), 2u);
  EXPECT_EQ(make_candidates(train::preset_options("base"), {}, 5000, 1000).size(), 144u) << "all that there are";
}

TEST(Candidates, TheBaselineIsCalledWhatItIs) {
  const auto name = [](const std::set<std::string>& given) {
    return make_candidates(train::preset_options("tiny"), given, 5000, 1)[0].name;
  };
  EXPECT_EQ(name({}), "preset tiny");
  EXPECT_EQ(name({"preset", "train-sets", "threads", "seed"}), "preset tiny");
  EXPECT_EQ(name({"preset", "dropout", "dim-model", "train-sets"}), "preset tiny with the given dim-model, dropout");
}

TEST(Candidates, AreOptionsOfATraining) {
  for (const char* preset : {"tiny", "base"})
    for (const Candidate& c : make_candidates(train::preset_options(preset), {}, 5000, 144)) {
      const train::TrainOptions o = full_training({{"preset", {preset}}, {"train-sets", {"a", "b"}}}, c, "m");
      EXPECT_NO_THROW(o.check()) << c.name;
      EXPECT_NO_THROW(short_training(o).check()) << c.name;
    }
}

TEST(Ladder, HasTimeForItsFirstRung) {
  EXPECT_EQ(make_ladder(1).candidates(), 3u);
  EXPECT_EQ(make_ladder(60).candidates(), 9u);
  EXPECT_EQ(make_ladder(480).candidates(), 27u);
  const Ladder l = make_ladder(60);
  EXPECT_EQ(l.planned(0), 9u);
  EXPECT_EQ(l.planned(1), 4u);
  EXPECT_EQ(l.planned(2), 2u);
}

// For any ladder, the rungs together take exactly the given time.
TEST(Ladder, FillsItsTime) {
  for (const double minutes : {1., 15., 60., 600.}) {
    const Ladder l = make_ladder(minutes);
    double left = minutes * 60;
    for (int64_t rung = 0; rung < l.rungs; ++rung) {
      const auto n = static_cast<double>(l.planned(rung));
      left -= n * (seconds_of_rung(l, rung, l.planned(rung), left, 1) + 1);
    }
    EXPECT_NEAR(left, 0, 1e-6) << minutes;
  }
  EXPECT_EQ(seconds_of_rung({2}, 0, 3, 5, 2), 0) << "reading alone takes longer";
}

TEST(Survivors, AreTheBaselineAndTheBestThirdOfTheOthers) {
  EXPECT_THAT(survivors({5, 1, 4, 2, 3, 6}), ElementsAre(0, 1, 3));
  EXPECT_THAT(survivors({1, 5, 4}), ElementsAre(0, 2)) << "one is always left to compare it with";
  const Ladder ladder{4};
  size_t now = ladder.candidates();
  for (int64_t rung = 0; rung < ladder.rungs; ++rung) {
    EXPECT_EQ(now, ladder.planned(rung)) << rung;
    now = survivors(std::vector<std::optional<double>>(now, 1)).size();
  }
  EXPECT_THAT(survivors({{}, 5, 4, {}}), ElementsAre(2)) << "a baseline that is out does not come back";
  EXPECT_THAT(survivors({2, 2, 2, 2}), ElementsAre(0, 1));
  EXPECT_TRUE(survivors({{}, {}}).empty());
}

TEST(ShortTraining, SeesNoMoreTokensThanTheFullOne) {
  const train::TrainOptions full = train::preset_options("tiny"), brief = short_training(full);
  EXPECT_EQ(brief.batch_tokens, 1024);
  EXPECT_EQ(brief.max_updates * brief.batch_tokens, full.max_updates * full.batch_tokens);
  EXPECT_DOUBLE_EQ(brief.lr, 0.4 * full.lr);
  EXPECT_EQ(brief.warmup, 200);
  const train::TrainOptions base = short_training(train::preset_options("base"));
  EXPECT_EQ(base.batch_tokens, 6 * 4096 / 8);
  train::TrainOptions odd = full;
  odd.final_model = "mean";
  odd.schedule = "linear";
  odd.best_by = "chrf";
  odd.valid_sets = odd.train_sets = {"a", "b"};
  odd.model = "m";
  EXPECT_NO_THROW(short_training(odd).check()) << "what the full training has, but a short one cannot";
  EXPECT_NEAR(base.lr, 0.4 * 6.99e-4, 1e-6) << "the paper's formula, with its own warm-up";
}

TEST(ShortTraining, HasAsManyUpdatesAsTheFirstOfItsRungAndNoLimitOfTime) {
  train::TrainOptions o;
  o.max_updates = 100;
  o.max_minutes = 7;
  const Measurement first{.updates = 40};
  EXPECT_EQ(until(o, nullptr).max_updates, 100);
  EXPECT_EQ(until(o, &first).max_updates, 40);
  for (const Measurement* one : {&first, static_cast<const Measurement*>(nullptr)})
    EXPECT_EQ(until(o, one).max_minutes, 0) << "the learning rate of such a run falls at its end";
  o.max_updates = 0;
  EXPECT_GT(until(o, nullptr).max_updates, 1'000'000) << "until it is told to end";
}

Measurement measured(double bits, double quality) { return {bits, 60, 100, 1000, quality}; }

TEST(Choice, NeedsBothMeasuresAndCertainty) {
  const Measurement baseline = measured(1.5, 40);
  EXPECT_TRUE(beats(measured(1.4, 41), baseline, 0.01));
  EXPECT_FALSE(beats(measured(1.4, 41), baseline, 0.06)) << "it may be chance";
  EXPECT_FALSE(beats(measured(1.6, 41), baseline, 0.01)) << "it needs more bits";
  EXPECT_FALSE(beats(measured(1.4, 39), baseline, 0.01)) << "certainly worse";
}

TEST(Choice, IsExplained) {
  Tuned t;
  t.record.metric = "chrf";
  t.record.trials = {{{"preset tiny", {}}, "", 1, {measured(1.5, 40)}},
                     {{"dropout 0.4", {}}, "", 1, {measured(1.4, 42)}}};
  EXPECT_THAT(why_chosen(t), AllOf(HasSubstr("Chosen: preset tiny, the baseline. No other"), HasSubstr("40.00")));
  EXPECT_EQ(doubt_of(t), "");
  t.best = 1, t.p = 0.2;
  EXPECT_THAT(why_chosen(t),
              AllOf(HasSubstr("Chosen: preset tiny, the baseline. dropout 0.4 has a better chrf, but the choice of the "
                              "validation pairs may have made the difference (chrf 42.00 against 40.00, p = 0.200; "
                              "1.4000 bits"),
                    HasSubstr("against 1.5000)"), HasSubstr("it says nothing about other seeds: each trial")));
  t.p = 0.004, t.record.trials[1].rungs[0].bits = 1.6;
  EXPECT_THAT(why_chosen(t), AllOf(HasSubstr("but needs no fewer bits per character: the two measures disagree (chrf"),
                                   Not(HasSubstr("may have")), Not(HasSubstr("certain"))));
  t.record.trials[1].rungs[0].bits = 1.4;
  t.chosen = 1, t.p = 0.001;
  EXPECT_THAT(why_chosen(t), HasSubstr("Chosen: dropout 0.4. It is better than the baseline, preset tiny"));
  t.p.reset();
  EXPECT_THAT(why_chosen(t), HasSubstr("The baseline has failed"));
  t.record.trials[1].rungs[0].quality = 12;
  EXPECT_THAT(doubt_of(t), HasSubstr("with so little training"));
}

struct Quiet : TuneWatcher {
  void note(const std::string& text) override { notes.push_back(text); }
  void begins(const Stage& s) override {
    if (std::ssize(begun) == stop_before) stopped = true;
    begun.push_back(fmt::format("{}.{}", s.rung, s.trial.candidate.name));
  }
  const std::atomic<bool>& stop() const override { return stopped; }

  int64_t stop_before = -1;
  std::vector<std::string> notes, begun;
  std::atomic<bool> stopped = false;
};

// During the second trial, files cannot grow beyond 20,000 bytes, as on a full disk.
struct FullDisk : Quiet {
  void begins(const Stage& s) override {
    Quiet::begins(s);
    if (begun.size() == 2) limit.emplace(20'000);
  }
  std::optional<FileSizeLimit> limit;
};

class TuneTest : public TestFolder {
 protected:
  TuneTest() {
    write_toy_corpus(at("a"), at("b"), 400);
    write_toy_corpus(at("c"), at("d"), 40, 8);
  }
  // Few updates, so that time never ends a trial.
  TuneSettings settings(const std::string& folder, int64_t updates = 4) const {
    TuneSettings s;
    s.minutes = 3;
    s.given = {{"train-sets", {at("a"), at("b")}},
               {"valid-sets", {at("c"), at("d")}},
               {"model", {at(folder)}},
               {"vocab-size", {"60"}},
               {"max-updates", {cat(updates)}},
               {"layers", {"1"}},
               {"batch-tokens", {"256"}},
               {"dim-ff", {"32"}},
               {"dim-model", {"32"}},
               {"threads", {"1"}},
               {"precision", {"f32"}}};
    return s;
  }
  static std::string without_times(const std::string& file) {
    return std::regex_replace(read_file(file), std::regex("\"seconds[a-z_]*\": (\\[[^\\]]*\\]|[^\n]*)"), "");
  }
};

TEST_F(TuneTest, LeavesOptionsThatTrainTheChosenOne) {
  Quiet watcher;
  const Tuned t = tune(settings("t"), watcher);
  ASSERT_EQ(t.record.trials.size(), 3u);
  EXPECT_THAT(t.record.trials[0].candidate.name, testing::StartsWith("preset tiny with the given "));
  EXPECT_EQ(t.record.trials[0].rungs.size(), 2u) << "the baseline reaches the end";
  EXPECT_GT(t.record.trials[0].rungs.back().quality.value(), 0);
  EXPECT_GT(t.record.trials[0].rungs.front().bits, 0.1);
  const train::TrainOptions found = train::resolve_options(train::read_options_file(t.options_file)).options;
  EXPECT_EQ(found.model, at("t/model"));
  EXPECT_THAT(read_file(t.options_file), testing::Not(HasSubstr("warmup"))) << "it must still fit --max-minutes";
  EXPECT_EQ(found.max_updates, 4);
  EXPECT_EQ(found.batch_tokens, 256);
  EXPECT_EQ(found.train_sets, std::vector({at("a"), at("b")}));
  EXPECT_THAT(read_file(at("t/report.html")),
              AllOf(HasSubstr("hexapla train -c " + at("t/best.yml")), HasSubstr("preset tiny"), HasSubstr("<svg")));
  EXPECT_THAT(why_chosen(t), HasSubstr("Chosen: "));
}

TEST_F(TuneTest, StoppedAnywhereEqualsNeverStopped) {
  Quiet whole;
  tune(settings("whole"), whole);
  for (int64_t stop = 0;; ++stop) {
    Quiet watcher;
    watcher.stop_before = stop < 8 ? 0 : -1;  // each start begins one trial, and stopping keeps its progress
    ASSERT_LT(stop, 10);
    try {
      tune(settings("parts"), watcher);
      break;
    } catch (const Canceled&) {
      EXPECT_EQ(watcher.begun.size(), 1u);
    }
  }
  const auto model = [&](const char* tuning) { return read_file(at(cat(tuning, "/trials/02/model.safetensors"))); };
  EXPECT_EQ(model("whole"), model("parts"));
  EXPECT_EQ(without_times(at("whole/tune.json")), without_times(at("parts/tune.json")));
}

// Slows down the second trial, like a busy machine, for trials that would end by time.
struct Busy : Quiet {
  void running(const train::TrainReport&) override {
    if (begun.size() == 2) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
};

TEST_F(TuneTest, AllOfARungMakeAsManyUpdatesOnABusyMachineToo) {
  if (!environment("HEXAPLA_LONG_TESTS")) GTEST_SKIP() << "half a minute; HEXAPLA_LONG_TESTS is not set";
  TuneSettings s = settings("t", 1'000'000);
  s.minutes = 0.6;
  Busy watcher;
  const Tuned t = tune(s, watcher);
  for (size_t rung = 0; rung < 2; ++rung)
    for (const Trial& one : t.record.trials)
      if (one.rungs.size() > rung) {
        EXPECT_EQ(one.rungs[rung].updates, t.record.trials[0].rungs[rung].updates) << one.candidate.name;
      }
  EXPECT_THAT(read_file(at("t/report.html")),
              AllOf(HasSubstr("They were compared at equal updates, not at equal time"), HasSubstr("bits after ")));
}

// An earlier start diverged, as its folder says; this start fails because the disk is full.
TEST_F(TuneTest, AFailureOfAnEarlierStartIsNotThisOnes) {
  std::filesystem::create_directories(at("t/trials/02/failure"));
  {
    FullDisk watcher;
    EXPECT_THAT(what_of<RunError>([&] { tune(settings("t"), watcher); }), HasSubstr("cannot write"));
  }
  Quiet watcher;
  EXPECT_EQ(tune(settings("t"), watcher).record.trials[1].out, "");
}

TEST_F(TuneTest, RefusesTrialsOfWhichNothingIsRecorded) {
  Quiet watcher;
  tune(settings("t"), watcher);
  const std::string record = read_file(at("t/tune.json"));
  std::filesystem::remove(at("t/tune.json"));
  EXPECT_THAT(what_of<UsageError>([&] { tune(settings("t"), watcher); }),
              AllOf(HasSubstr("holds trials, but not tune.json"), HasSubstr("/trials, or give a new folder")));
  write_file_atomically(at("t/tune.json"), std::regex_replace(record, std::regex("compared at"), "compared"));
  EXPECT_THAT(what_of<UsageError>([&] { tune(settings("t"), watcher); }), HasSubstr("at equal minutes"));
}

TEST_F(TuneTest, WhatIsFinishedIsNotRepeated) {
  Quiet first, second;
  const Tuned a = tune(settings("t"), first), b = tune(settings("t"), second);
  EXPECT_FALSE(first.begun.empty());
  EXPECT_TRUE(second.begun.empty());
  EXPECT_EQ(a.chosen, b.chosen);
}

TEST_F(TuneTest, RefusesAFolderOfOtherSettings) {
  Quiet watcher;
  tune(settings("t"), watcher);
  TuneSettings other = settings("t");
  other.given.push_back({"dropout", {"0.1"}});
  EXPECT_THAT(what_of<UsageError>([&] { tune(other, watcher); }),
              AllOf(HasSubstr(at("t") + " holds a tuning with other settings"), HasSubstr("another folder")));
  write_toy_corpus(at("a"), at("b"), 401);
  EXPECT_THAT(what_of<UsageError>([&] { tune(settings("t"), watcher); }), HasSubstr("other settings"));
  std::filesystem::create_directories(at("run/checkpoints"));
  EXPECT_THAT(what_of<UsageError>([&] { tune(settings("run"), watcher); }), HasSubstr("holds a training run"));
}

TEST_F(TuneTest, ATrialThatCannotBeMadeOrDivergesIsOut) {
  TuneSettings s = settings("t", 40);
  std::erase_if(s.given,
                [](const GivenOption& g) { return g.name == "vocab-size"; });  // smaller vocabularies cannot be trained
  Quiet watcher;
  const Tuned t = tune(s, watcher);
  ASSERT_EQ(t.record.trials.size(), 3u);
  EXPECT_THAT(t.record.trials[2].out, HasSubstr("vocab"));
  EXPECT_TRUE(t.record.trials[0].out.empty());
  s = settings("wild");
  s.given.push_back({"lr", {"1e38"}});
  s.given.push_back({"warmup", {"1"}});
  EXPECT_THAT(what_of<RunError>([&] { tune(s, watcher); }), HasSubstr("no trial has finished"));
  EXPECT_THAT(read_file(at("wild/tune.json")), HasSubstr("became"));
}

TEST_F(TuneTest, AFullDiskIsNotTheFaultOfATrial) {
  {
    FullDisk watcher;
    EXPECT_THAT(what_of<RunError>([&] { tune(settings("t"), watcher); }), HasSubstr("cannot write"));
    EXPECT_EQ(watcher.begun.size(), 2u);
  }
  Quiet watcher;
  const Tuned t = tune(settings("t"), watcher);
  EXPECT_EQ(watcher.begun.front(), "0." + t.record.trials[1].candidate.name) << "it goes on there";
  for (const Trial& trial : t.record.trials) EXPECT_EQ(trial.out, "");
}

TEST_F(TuneTest, WrongOptionsAreNamedBeforeAnythingIsTrained) {
  Quiet watcher;
  TuneSettings s = settings("t");
  s.given.push_back({"best-by", {"loss"}});
  EXPECT_THAT(what_of<UsageError>([&] { tune(s, watcher); }), HasSubstr("`best-by` is loss"));
  s = settings("t");
  s.given.push_back({"dropuot", {"1"}});
  EXPECT_THAT(what_of<UsageError>([&] { tune(s, watcher); }), HasSubstr("dropout"));
  s = settings("t");
  s.given[0].values = {"-", at("b")};
  EXPECT_THAT(what_of<UsageError>([&] { tune(s, watcher); }), HasSubstr("only once"));
  s = settings("t");
  s.minutes = 1e-4;
  EXPECT_THAT(what_of<UsageError>([&] { tune(s, watcher); }), HasSubstr("`minutes` is 0.0001, too few"));
}

// Every input against everything that a tuning writes.
TEST_F(TuneTest, DoesNotOverwriteWhatItReads) {
  Quiet watcher;
  for (const char* own : {"tune.json", "best.yml", "report.html", "LOCK", "trials/01/a", "held-out/valid.source"}) {
    const std::string file = at("t/") + own;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    write_file_atomically(file, "a dog\n");
    for (const char* option :
         {"train-sets", "valid-sets", "vocab", "vocabs", "guided-alignment", "init-from", "config"}) {
      TuneSettings s = settings("t");
      if (option == std::string("config"))
        s.config = file;
      else
        s.given.push_back({option, {at("a"), file}});
      EXPECT_THAT(what_of<UsageError>([&] { tune(s, watcher); }),
                  testing::AnyOf(HasSubstr("would be overwritten"), HasSubstr("is to be read from there")))
          << own << " " << option;
      EXPECT_EQ(read_file(file), "a dog\n");
    }
  }
  EXPECT_TRUE(watcher.begun.empty());
}

class HeldOut : public TestFolder {};

TEST_F(HeldOut, IsATenthThatIsNoLongerTrainedOn) {
  write_toy_corpus(at("a"), at("b"), 250);
  const std::vector<std::string> all = data::read_lines(at("a"));
  const TuningText t = with_validation({{"train-sets", {at("a"), at("b")}}}, at("held"), [](const char*, int64_t) {});
  EXPECT_THAT(t.held_out, AllOf(HasSubstr("one in 10 of the 250"), HasSubstr(at("held/valid.source"))));
  const std::vector<std::string> valid = data::read_lines(at("held/valid.source")),
                                 train = data::read_lines(at("held/train-1.source"));
  EXPECT_EQ(valid.size(), 25u);
  EXPECT_EQ(train.size(), 225u);
  EXPECT_EQ(valid[1], all[10]);
  EXPECT_EQ(train[9], all[11]);
  EXPECT_EQ(data::read_lines(at("held/train-1.target")).size(), 225u);
  const train::TrainOptions o = full_training(t.given, {}, "m");
  EXPECT_EQ(o.valid_sets, std::vector({at("held/valid.source"), at("held/valid.target")}));
  write_toy_corpus(at("c"), at("d"), 60);
  EXPECT_THAT(what_of<DataError>([&] {
                with_validation({{"train-sets", {at("c"), at("d")}}}, at("few"), [](const char*, int64_t) {});
              }),
              HasSubstr("60 usable pairs, too few to hold some of them out"));
}

TEST_F(HeldOut, OfAnotherTextIsNeverTaken) {
  const auto held = [&](const std::vector<GivenOption>& given) {
    with_validation(given, at("held"), [](const char*, int64_t) {});
    return data::read_lines(at("held/train-1.source"));
  };
  const std::vector<GivenOption> two{{"train-sets", {at("a"), at("b")}}};
  write_toy_corpus(at("a"), at("b"), 250);
  const auto first = held(two);
  const auto written = std::filesystem::last_write_time(at("held/valid.target"));
  EXPECT_EQ(held(two), first);
  EXPECT_EQ(std::filesystem::last_write_time(at("held/valid.target")), written) << "the same text is kept";
  write_toy_corpus(at("a"), at("b"), 250, 77);
  const std::vector<std::string> now = data::read_lines(at("a")), other = held(two);
  EXPECT_EQ(other[0], now[1]) << "other bytes under the same name";
  EXPECT_EQ(held({{"train-sets", {at("b"), at("a")}}})[0], data::read_lines(at("b"))[1]) << "other files";
  std::filesystem::remove(at("held/text.json"));
  held(two);
  EXPECT_TRUE(std::filesystem::exists(at("held/text.json"))) << "files that nothing describes are made anew";
}

TEST_F(HeldOut, OfALongValidationSetAThousandPairsAreRead) {
  write_toy_corpus(at("a"), at("b"), 250);
  EXPECT_EQ(read_validation({at("a"), at("b")}, false, 1000).size(), 250);
  const data::Corpus some = read_validation({at("a"), at("b")}, false, 100);
  EXPECT_EQ(some.size(), 100);
  EXPECT_EQ(some.target[1], data::read_lines(at("b"))[2]);
  EXPECT_EQ(some.target[99], data::read_lines(at("b"))[247]);
}

}  // namespace
}  // namespace hexapla::train::tune
