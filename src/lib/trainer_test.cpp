// Tests of training by the public API.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "backend/cpu/cpu.h"
#include "backend/cpu/testing.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/option_names.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using testing::HasSubstr;

struct TrainerApi : TestFolder {
  std::vector<std::string> source = made_up_lines(200, 1), target = made_up_lines(200, 2);

  Options options(const std::string& run) const {
    return {{"model", at(run)},    {"preset", "tiny"}, {"enc_layers", 1},  {"dec-layers", 1},   {"dim_model", 16},
            {"dim_ff", 32},        {"heads", 2},       {"vocab_size", 40}, {"max_updates", 12}, {"save_every", 4},
            {"batch_tokens", 200}, {"warmup", 10},     {"report_every", 4}};
  }
  Options with_files(Options o) {
    std::ofstream x(at("x")), y(at("y"));
    for (size_t i = 0; i < source.size(); ++i) x << source[i] << '\n', y << target[i] << '\n';
    o.emplace("train_sets", OptionValue{at("x").c_str(), at("y").c_str()});
    return o;
  }
  PairSource pairs(size_t& next) const {
    return [this, &next](std::string& x, std::string& y) {
      if (next == source.size()) return false;
      x = source[next], y = target[next];
      ++next;
      return true;
    };
  }
  std::vector<float> weights(const std::string& run) const {
    Model m = Model::load(at(run));
    std::vector<float> all;
    for (const ParameterView& p : m.parameters()) all.insert(all.end(), p.values, p.values + p.size);
    return all;
  }
};

TEST_F(TrainerApi, PairsOfTheProgramGiveTheBytesOfFiles) {
  const TrainingResult files = Trainer(with_files(options("files"))).train();
  EXPECT_TRUE(files.finished);
  EXPECT_EQ(files.updates, 12);
  Trainer trainer(options("pairs"));
  size_t next = 0;
  trainer.set_training_pairs(pairs(next));
  trainer.train();
  EXPECT_EQ(weights("pairs"), weights("files"));
}

// Works on any processor; HEXAPLA_ISA simulates another one.
TEST_F(TrainerApi, AutoMeansThePrecisionThatTheRunStartedWith) {
  const auto record = [&](const std::string& run) { return Model::load(at(run)).history().at("options"); };
  const auto train = [&](Options o, int updates, std::string& notes) {
    o.insert_or_assign("max_updates", updates);
    TrainingCallbacks on;
    on.on_note = [&](const std::string& note) { notes += note + "\n"; };
    Trainer(o).train(on);
  };
  Options o = with_files(options("run"));
  std::string notes, more;
  o.insert_or_assign("precision", "auto");
  {
    const Environment isa("HEXAPLA_ISA", "generic");  // where f32 is the fastest
    train(o, 4, notes);
  }
  const Environment here("HEXAPLA_ISA", name_of(best_isa()));
  train(o, 8, more);
  EXPECT_THAT(record("run"), HasSubstr("\"precision\":\"f32\""));
  const std::string fastest = name_of(parse_precision("auto"));
  EXPECT_EQ(more.find("precision auto stays f32") != more.npos, fastest == "bf16") << more;
  if (best_isa() != Isa::generic) {
    EXPECT_THAT(Model::load(at("run")).history().at("changed"),
                HasSubstr("update 4: instruction set cpu (generic) -> cpu ("));
  }
  if (!supported(Precision::bf16)) GTEST_SKIP() << "no instructions for bf16";
  o = with_files(options("run16"));
  o.insert_or_assign("precision", "bf16");
  train(o, 4, notes);
  o.insert_or_assign("precision", "auto");
  train(o, 6, notes);
  EXPECT_THAT(record("run16"), HasSubstr("\"precision\":\"bf16\""));
  const Environment isa("HEXAPLA_ISA", "generic");
  EXPECT_THAT(what_of<UsageError>([&] { train(o, 8, notes); }),
              testing::AllOf(HasSubstr("was started in bf16"), HasSubstr("no instructions for it")));
}

TEST_F(TrainerApi, DoesNotWriteIntoWhatItReads) {
  Trainer(with_files(options("m"))).train();
  Options o = with_files(options("m"));
  o.erase("vocab_size");  // the model has its vocabulary
  o.emplace("init_from", at("m").c_str());
  o.erase("vocab_size");
  const std::string before = read_file(at("m/model.safetensors"));
  EXPECT_THAT(what_of<UsageError>([&] { Trainer(o).train(); }), HasSubstr("would be overwritten"));
  EXPECT_EQ(read_file(at("m/model.safetensors")), before);
  const std::string config = at("m/report.html");
  write_file_atomically(config, "max-updates: 12\n");
  EXPECT_THAT(what_of<UsageError>([&] {
                Trainer(config, with_files({{"model", at("m")}}));
              }),
              HasSubstr("would be overwritten"));
  EXPECT_EQ(read_file(config), "max-updates: 12\n");
}

TEST_F(TrainerApi, ItsCallbacksAreTold) {
  Options validating = options("run");
  validating.emplace("valid_every", 6);
  Trainer trainer(validating);
  size_t next = 0, next_valid = 190;
  trainer.set_training_pairs(pairs(next));
  trainer.set_validation_pairs(pairs(next_valid));
  std::vector<std::string> told;
  TrainingCallbacks on;
  on.on_start = [&](const TrainingStart& s) { told.push_back("start of " + std::to_string(s.pairs)); };
  on.on_report = [&](const TrainingReport& r) { told.push_back("report " + std::to_string(r.update)); };
  on.on_validation = [&](const ValidationReport& v) { told.push_back("validation " + std::to_string(v.update)); };
  on.on_checkpoint = [&](std::int64_t update, const std::string& checkpoint) {
    EXPECT_EQ(Inspector(checkpoint).inspect(source[0], target[0]).warnings, std::vector<std::string>());
    EXPECT_EQ(std::filesystem::path(checkpoint).parent_path(), at("run/checkpoints"));
    told.push_back("checkpoint " + std::to_string(update));
  };
  const TrainingResult result = trainer.train(on);
  EXPECT_TRUE(result.best_score.has_value());
  EXPECT_THAT(told, testing::ElementsAre("start of 200", "report 4", "checkpoint 4", "validation 6", "report 8",
                                         "checkpoint 8", "report 12", "validation 12", "checkpoint 12"));
}

TEST_F(TrainerApi, AFolderInUseIsAFailureAtRunTime) {
  Trainer first(with_files(options("run"))), second(with_files(options("run")));
  TrainingCallbacks on;
  on.on_start = [&](const TrainingStart&) { EXPECT_THROW(second.train(), RunError); };
  EXPECT_TRUE(first.train(on).finished);
  EXPECT_TRUE(second.train().finished);
}

TEST_F(TrainerApi, ItsStartHasTheSharesOfUnknownTokens) {
  Trainer trainer(options("run"));
  size_t next = 0, next_valid = 199;
  trainer.set_training_pairs(pairs(next));
  trainer.set_validation_pairs([this, &next_valid](std::string& x, std::string& y) {
    x = source[0], y = "狗狗";
    return next_valid++ < source.size();
  });
  std::vector<TrainingStart::UnknownTokens> unknown;
  TrainingCallbacks on;
  on.on_start = [&](const TrainingStart& s) { unknown = s.unknown; };
  trainer.train(on);
  ASSERT_EQ(unknown.size(), 2u);
  EXPECT_EQ(unknown[0].source, 0);
  EXPECT_EQ(unknown[0].target, 0);
  EXPECT_EQ(unknown[1].source, 0);
  EXPECT_GT(unknown[1].target, 0.3);
  EXPECT_FALSE(unknown[1].set.empty());
}

TEST_F(TrainerApi, EveryOptionIsDescribedWithItsUsualValue) {
  std::vector<std::string> described;
  for (const OptionDescription& o : training_options()) {
    described.push_back(o.name);
    EXPECT_NE(o.help, "") << o.name;
  }
  std::vector<std::string> names;
  for (const std::string& name : train::names_of_options()) names.push_back(as_field(name));
  EXPECT_THAT(described, testing::UnorderedElementsAreArray(names));
}

TEST_F(TrainerApi, StopsAndResumesToTheSameBytes) {
  const Options given = with_files(options("whole"));
  Trainer(given).train();
  Options o = with_files(options("halves"));
  Trainer trainer(o);
  TrainingCallbacks on;
  on.on_report = [&](const TrainingReport& r) {
    if (r.update == 4) trainer.stop();
  };
  const TrainingResult first = trainer.train(on);
  EXPECT_FALSE(first.finished);
  EXPECT_EQ(first.model, "");
  EXPECT_TRUE(trainer.train().finished);
  EXPECT_EQ(weights("halves"), weights("whole"));
}

TEST_F(TrainerApi, AStopBeforeItBeginsEndsItWithNothingWritten) {
  Trainer trainer(with_files(options("run")));
  trainer.stop();
  const TrainingResult stopped = trainer.train();
  EXPECT_FALSE(stopped.finished);
  EXPECT_EQ(stopped.updates, 0);
  EXPECT_FALSE(std::filesystem::exists(at("run")));
  EXPECT_TRUE(trainer.train().finished) << "a stop is over with the training that it ended";
}

TEST_F(TrainerApi, AStopEndsIdlePipesAndTheVocabulary) {
  const auto stops_at = [&](const std::string& reading, const Options& o) {
    Trainer trainer(o);
    TrainingCallbacks on;
    on.on_reading = [&](const std::string& what, std::int64_t) {
      if (what == reading) trainer.stop();
    };
    std::thread later([&] {
      if (reading.empty()) trainer.stop();
    });
    EXPECT_FALSE(trainer.train(on).finished) << reading;
    later.join();
  };
  Options o = options("pipe");
  for (const char* side : {"px", "py"}) ASSERT_EQ(mkfifo(at(side).c_str(), 0600), 0);
  o.emplace("train_sets", OptionValue{at("px").c_str(), at("py").c_str()});
  stops_at("", o);
  stops_at("training the vocabulary", with_files(options("vocabulary")));
  EXPECT_FALSE(std::filesystem::exists(at("vocabulary/checkpoints")));
}

// With the scores, the best model and the files of an uninterrupted run.
TEST_F(TrainerApi, AStopInAValidationResumesToTheSameBytes) {
  const auto with_validation = [&](const std::string& run, int save_every) {
    Options o = with_files(options(run));
    o.insert_or_assign("report_every", 6);
    o.insert_or_assign("save_every", save_every);
    o.emplace("valid_every", 6);
    o.emplace("valid_sets", OptionValue{at("x").c_str(), at("y").c_str()});
    return o;
  };
  const auto scores = [&](const std::string& run) {
    std::string log = read_file(at(run) + "/valid.jsonl");
    for (size_t time = log.find(", \"time\""); time != std::string::npos; time = log.find(", \"time\""))
      log.erase(time, log.find('}', time) - time);
    return log;
  };
  for (const int save_every : {6, 4}) {  // with and without a checkpoint of the same update
    const std::string whole = "whole" + std::to_string(save_every), halves = "halves" + std::to_string(save_every);
    const TrainingResult expected = Trainer(with_validation(whole, save_every)).train();
    Trainer trainer(with_validation(halves, save_every));
    std::vector<std::int64_t> validated;
    bool stopping = true;
    TrainingCallbacks on;
    on.on_report = [&](const TrainingReport&) {
      if (stopping) trainer.stop();
    };
    on.on_validation = [&](const ValidationReport& v) { validated.push_back(v.update); };
    EXPECT_EQ(trainer.train(on).updates, 6);
    EXPECT_THAT(validated, testing::IsEmpty()) << "the validation was not broken off";
    trainer.stop();
    EXPECT_FALSE(trainer.train(on).finished);
    stopping = false;
    const TrainingResult found = trainer.train(on);
    EXPECT_TRUE(found.finished);
    EXPECT_EQ(found.best_score, expected.best_score);
    EXPECT_THAT(validated, testing::ElementsAre(6, 12));
    EXPECT_EQ(weights(halves), weights(whole));
    EXPECT_EQ(scores(halves), scores(whole));
    const auto checkpoints = [&](const std::string& run) {
      std::set<std::string> names;
      for (const auto& entry : std::filesystem::directory_iterator(at(run) + "/checkpoints"))
        names.insert(entry.path().filename());
      return names;
    };
    EXPECT_EQ(checkpoints(halves), checkpoints(whole));
    const Inspector last(at(whole) + "/checkpoints/" + *checkpoints(whole).rbegin());
    EXPECT_EQ(last.inspect("a dog", "two").score, Inspector(at(whole)).inspect("a dog", "two").score);
  }
}

TEST_F(TrainerApi, WhatACallbackThrowsEndsIt) {
  Trainer trainer(with_files(options("run")));
  TrainingCallbacks on;
  on.on_report = [](const TrainingReport&) { throw 7; };
  EXPECT_THROW(trainer.train(on), int);
  Trainer other(options("other"));
  other.set_training_pairs([](std::string&, std::string&) -> bool { throw std::string("no more"); });
  EXPECT_THROW(other.train(), std::string);
}

template <class E, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "not refused";
}

TEST_F(TrainerApi, RefusesWhatCannotBe) {
  using testing::HasSubstr;
  EXPECT_THAT(refusal<UsageError>([] { Trainer({{"beam", 4}}); }), HasSubstr("unknown option 'beam'"));
  EXPECT_THAT(refusal<UsageError>([] { Trainer({{"batch_tokens", -1}}); }), HasSubstr("batch_tokens is -1"));
  EXPECT_THAT(refusal<UsageError>([] { Trainer({{"dropout", 1.5}}); }), HasSubstr("dropout is 1.5"));
  EXPECT_THAT(refusal<UsageError>([] { Trainer({{"batch_tokens", 1}, {"batch-tokens", 1}}); }), HasSubstr("twice"));
  EXPECT_THAT(refusal<UsageError>([&] { Trainer(options("run")).train(); }), HasSubstr("train_sets is missing"));
  Trainer both(with_files(options("both")));
  both.set_training_pairs([](std::string&, std::string&) { return false; });
  EXPECT_THAT(refusal<UsageError>([&] { both.train(); }), HasSubstr("train_sets names files"));
  const auto from = [&](const std::string& text) {
    Trainer trainer(options("wrong"));
    bool given = false;
    trainer.set_training_pairs([&](std::string& x, std::string& y) {
      x = y = text;
      return text.empty() ? false : !std::exchange(given, true);
    });
    return refusal<DataError>([&] { trainer.train(); });
  };
  EXPECT_THAT(from(""), HasSubstr("no pair"));
  EXPECT_THAT(from("a\nb"), HasSubstr("pair 1 has a line break"));
  EXPECT_THAT(from("a\xFF"), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(from(std::string("a\0b", 3)), HasSubstr("NUL"));
}

}  // namespace
}  // namespace hexapla::api
