// A model's provenance suffices to train it again.
#include "train/record/provenance.h"

#include <gmock/gmock.h>

#include "base/files/hash.h"
#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Provenance some_provenance() {
  Provenance c;
  c.options.train_sets = {"a.en", "a \"quoted\".de"};
  c.options.lr = 0.1;
  c.options.seed = 18446744073709551615u;
  c.options.valid_every = "3e";
  c.files = {{"a.en", "0123", 12}, {"a.de", "4567", 13}};
  c.vocabulary = "89ab";
  c.build = "0.1.0";
  c.machine = "a processor";
  return c;
}

TEST(Provenance, ComesBackFromAHistory) {
  const Provenance was = some_provenance();
  std::vector<std::string> unknown;
  const Provenance now = Provenance::from_history(was.to_history(), "m", unknown);
  EXPECT_EQ(now.to_history(), was.to_history());
  EXPECT_EQ(now.options.seed, was.options.seed);
  EXPECT_EQ(now.options.train_sets, was.options.train_sets);
  EXPECT_TRUE(unknown.empty());
  EXPECT_TRUE(differences(was, now).empty());
}

TEST(Provenance, LeavesOutWhatDoesNotChangeTheResult) {
  Provenance a = some_provenance(), b = a;
  b.options.model = "elsewhere";
  b.options.threads = 7;
  b.options.memory = 100;
  EXPECT_EQ(a.to_history(), b.to_history());
}

TEST(Provenance, NamesWhatItCannotRead) {
  std::vector<std::string> unknown;
  EXPECT_THAT(what_of<DataError>([&] {
                Provenance::from_history({{"updates", "5"}}, "m.safetensors", unknown);
              }),
              HasSubstr("m.safetensors: its history has no 'options', so it does not say how it was trained"));
  auto history = some_provenance().to_history();
  history["options"] = "{";
  EXPECT_THAT(what_of<DataError>([&] { Provenance::from_history(history, "m.safetensors", unknown); }),
              HasSubstr("m.safetensors: its training record is not valid JSON"));
  history["options"] = "{\"lr\": \"fast\"}";
  EXPECT_THAT(what_of<DataError>([&] { Provenance::from_history(history, "m.safetensors", unknown); }),
              HasSubstr("cannot be read"));
  history["options"] = "{\"lr\": 1, \"warp\": 9}";
  EXPECT_EQ(Provenance::from_history(history, "m", unknown).options.lr, 1);
  EXPECT_THAT(unknown, ElementsAre("warp"));
}

TEST(Provenance, RemovedOptionsMayBeOff) {
  auto history = some_provenance().to_history();
  std::vector<std::string> unknown;
  history["options"] = R"({"lr": 1, "r-drop": 0})";
  EXPECT_EQ(Provenance::from_history(history, "m.safetensors", unknown).options.lr, 1);
  EXPECT_TRUE(unknown.empty());
  history["options"] = R"({"lr": 1, "r-drop": 5.0})";
  EXPECT_THAT(what_of<DataError>([&] { Provenance::from_history(history, "m.safetensors", unknown); }),
              testing::AllOf(HasSubstr("m.safetensors: its training record cannot be read: `r-drop` is 5.0"),
                             HasSubstr("hexapla 0.1.0 of commit be5f735")));
}

TEST(Provenance, RunsOfBeforeTheChoiceHadOneNormalization) {
  auto history = some_provenance().to_history();
  std::vector<std::string> unknown;
  EXPECT_EQ(Provenance::from_history(history, "m", unknown).options.text.target_normalization, "keep");
  history["options"] = "{\"lr\": 1}";
  const Provenance old = Provenance::from_history(history, "m", unknown);
  EXPECT_EQ(old.options.text.source_normalization, "nmt_nfkc");
  EXPECT_EQ(old.options.text.target_normalization, "nmt_nfkc");
}

TEST(Provenance, DifferencesAreNamedOneByOne) {
  const Provenance was = some_provenance();
  Provenance now = was;
  now.files[1].hash = "changed";
  now.machine = "another";
  now.build = "0.2.0";
  EXPECT_THAT(differences(was, now), ElementsAre(HasSubstr("a.de has the hash changed and 13 bytes, but a.de had 4567"),
                                                 HasSubstr("the machine differs: another; it was a processor"),
                                                 HasSubstr("the build differs: 0.2.0; it was 0.1.0")));
  now = was;
  now.files.pop_back();
  now.vocabulary = "other";
  EXPECT_THAT(differences(was, now), ElementsAre(HasSubstr("it was trained on 2 files, now there are 1"),
                                                 HasSubstr("the vocabulary differs")));
}

TEST_F(Training, EveryModelSaysHowItWasTrained) {
  TrainOptions o = options("provenance");
  o.max_updates = 10;
  const TrainResult result = run(o);
  const model::LoadedModel m = model::load_model(result.model);
  std::vector<std::string> unknown;
  const Provenance c = Provenance::from_history(m.history, result.model, unknown);
  EXPECT_EQ(c.options.max_updates, 10);
  ASSERT_EQ(c.files.size(), 4u);
  EXPECT_EQ(c.files[1].path, folder_ + "/b");
  EXPECT_EQ(c.files[1].hash, hash_hex(read_file(folder_ + "/b")));
  EXPECT_EQ(c.vocabulary, hash_hex(m.source_vocabulary + m.target_vocabulary));
  EXPECT_THAT(c.machine, HasSubstr("cpu ("));
  EXPECT_EQ(c.build, build_text());
  EXPECT_THAT(c.metric, HasSubstr("BLEU|nrefs:1"));
}

struct Recorded : Training {
  // Trained again from its own record, a run gives the same bytes.
  TrainOptions expect_repeats(const TrainOptions& o) const {
    std::vector<std::string> unknown;
    const std::string model = o.model + "/model.safetensors";
    Provenance c = Provenance::from_history(model::load_model(model).history, model, unknown);
    c.options.model = o.model + "_again";
    c.options.architecture = o.architecture;
    run(c.options);
    EXPECT_TRUE(same_model(o, c.options));
    return c.options;
  }
};

// The clock ends the run; its record says at which update, so that it can be repeated.
TEST_F(Recorded, ARunOfMinutesIsRecordedByItsUpdates) {
  for (const char* schedule : {"inverse-sqrt", "cosine"}) {
    TrainOptions o = options(cat("minutes_", schedule));
    o.max_minutes = 0.01;
    o.schedule = o.schedule.parse("schedule", schedule);
    o.max_updates = o.schedule == "cosine" ? 1'000'000 : 0;  // otherwise the end of the decay
    o.valid_sets.clear();
    const TrainResult result = run(o);
    const TrainOptions again = expect_repeats(o);
    EXPECT_EQ(again.max_updates, result.updates);
    EXPECT_EQ(again.max_minutes, 0);
  }
}

// The clock decides when the learning rate falls and which warm-up fits; the record has both. A
// busy machine may not reach the last quarter of a short time, so the time is doubled until one
// does.
TEST_F(Recorded, WhatALimitOfTimeMakesOfTheScheduleIsRecorded) {
  TrainOptions again;
  for (double minutes = 0.01; again.cooldown == 0; minutes *= 2) {
    ASSERT_LT(minutes, 1);
    TrainOptions o = options(cat("shaped_", minutes));
    o.max_minutes = minutes;
    o.max_updates = 0;
    o.warmup = 1'000'000;
    o.valid_sets.clear();
    const TrainResult result = run(o);
    again = expect_repeats(o);
    EXPECT_LT(again.warmup, 1'000'000);
    EXPECT_EQ(again.max_updates, result.updates);
    if (again.cooldown > 0) {
      EXPECT_GE(again.decay_updates, result.updates);
    }
  }
}

TEST_F(Recorded, LimitsThatWereLoweredTooLateAreRecordedByItsUpdates) {
  auto lowered = [&](const std::string& name, double lr, auto change) {
    TrainOptions o = options(name);
    o.average_last = 2;
    o.lr = lr;
    o.best_by = "loss";
    o.valid_every = "3";
    run(o);
    change(o);
    EXPECT_EQ(run(o).updates, 30);
    EXPECT_EQ(expect_repeats(o).max_updates, 30);
  };
  lowered("updates", 3e-3, [](auto& o) { o.max_updates = 20; });
  lowered("epochs", 3e-3, [](auto& o) { o.max_updates = 0, o.max_epochs = 1; });
  // A rate so low that no validation is better than the first.
  lowered("patience", 1e-30, [](auto& o) { o.max_updates = 0, o.patience = 1; });
}

}  // namespace
}  // namespace hexapla::train
