// Training through the public face.
#include <gmock/gmock.h>

#include <fstream>

#include "api/test_models.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/option_names.h"
#include "hexapla/hexapla.h"
#include "train/options/resolve.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;

struct TrainerApi : TestFolder {
  std::vector<std::string> source = made_up_lines(200, 1), target = made_up_lines(200, 2);

  Options options(const std::string& run) const {
    return {{"model", at(run)},    {"preset", "tiny"}, {"enc_layers", 1},   {"dec-layers", 1},   {"dim_model", 16},
            {"dim_ff", 32},        {"heads", 2},       {"vocab_size", 40},  {"max_updates", 12}, {"save_every", 4},
            {"batch_tokens", 200}, {"warmup", 10},     {"report_every", 4}, {"valid_every", 6}};
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

TEST_F(TrainerApi, ItsCallbacksAreTold) {
  Trainer trainer(options("run"));
  size_t next = 0, next_valid = 190;
  trainer.set_training_pairs(pairs(next));
  trainer.set_validation_pairs(pairs(next_valid));
  std::vector<std::string> told;
  TrainingCallbacks on;
  on.on_start = [&](const TrainingStart& s) { told.push_back("start of " + std::to_string(s.pairs)); };
  on.on_report = [&](const TrainingReport& r) { told.push_back("report " + std::to_string(r.update)); };
  on.on_validation = [&](const ValidationReport& v) { told.push_back("validation " + std::to_string(v.update)); };
  on.on_checkpoint = [&](std::int64_t update, const std::string&) {
    told.push_back("checkpoint " + std::to_string(update));
  };
  const TrainingResult result = trainer.train(on);
  EXPECT_TRUE(result.best_score.has_value());
  EXPECT_THAT(told, testing::ElementsAre("start of 200", "report 4", "checkpoint 4", "validation 6", "report 8",
                                         "checkpoint 8", "report 12", "validation 12", "checkpoint 12"));
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
