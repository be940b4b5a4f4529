// Effects of the run options: accumulation, averages, frozen parts, init-from, resuming.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/files/test_folder.h"
#include "model/weights/average.h"
#include "model/weights/model_file.h"
#include "train/measure/memory_budget.h"
#include "train/record/best_files.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

using RunOptions = Training;

struct Losses : TrainWatcher {
  void updated(const TrainReport& r) override { reports.push_back(r); }
  void note(const std::string& n) override { notes += n + "\n"; }
  std::vector<TrainReport> reports;
  std::string notes;
};

// An epoch ends with an update, so with many micro-batches each update is a whole epoch.
TEST_F(RunOptions, AccumulatedBatchesGiveTheGradientOfOneLargeBatch) {
  TrainOptions whole = options("large"), accumulated = options("pieces");
  for (TrainOptions* o : {&whole, &accumulated}) {
    o->architecture.dropout = 0;
    o->max_updates = 8;
    o->valid_sets.clear();
  }
  whole.batch_tokens = 100'000;
  accumulated.accumulate = 1000;
  Losses one, many;
  EXPECT_EQ(run(whole, one, false).epochs, 8);
  EXPECT_EQ(run(accumulated, many, false).epochs, 8);
  ASSERT_THAT(many.reports, SizeIs(8));
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(many.reports[i].target_tokens, one.reports[i].target_tokens);
    EXPECT_NEAR(many.reports[i].loss, one.reports[i].loss, 2e-5);
    EXPECT_NEAR(many.reports[i].gradient_norm, one.reports[i].gradient_norm, 1e-4 * one.reports[i].gradient_norm);
  }
}

TEST_F(RunOptions, AnUpdateTakesSoManyBatches) {
  TrainOptions o = options("three");
  o.accumulate = 3;
  o.max_epochs = 1;
  o.valid_sets.clear();
  TrainOptions single = options("one");
  single.max_epochs = 1;
  single.valid_sets.clear();
  const int64_t batches = run(single).updates;
  EXPECT_EQ(run(o).updates, (batches + 2) / 3);
}

TEST_F(RunOptions, ResumedEqualsUnbrokenWithAverageDecayAndPlateau) {
  TrainOptions o = options("whole");
  o.accumulate = 2;
  o.ema = 0.9;
  o.weight_decay = 0.1;
  o.clip_norm = 1;
  o.schedule = "plateau";
  o.plateau_patience = 1;
  o.best_by = "chrf";
  o.warmup = 4;
  o.valid_every = "3";
  o.average_last = 2;
  expect_resumes_exactly(o);
  EXPECT_THAT(log_of(o), HasSubstr("\"learning_rate\": 0.0015,")) << "the plateau was never reached";
}

TEST_F(RunOptions, ResumedEqualsUnbrokenWithTheMeanOfTheBest) {
  TrainOptions o = options("whole");
  o.schedule = "cosine";
  o.freeze = "encoder";
  o.ema = 0.8;
  o.average_best = 2;
  o.best_by = "loss";
  o.valid_every = "4";
  expect_resumes_exactly(o);
}

TEST_F(RunOptions, TheMeanOfTheBestIsThatOfTheirFiles) {
  TrainOptions o = options("best");
  o.average_best = 3;
  o.final_model = "mean";
  o.warmup = 4;
  o.best_by = "loss";
  o.valid_every = "5";
  const TrainResult result = run(o);
  std::vector<std::string> files;
  for (const int64_t update : {20, 25, 30}) files.push_back(best_model_path(o.model, update));
  const model::LoadedModel mean = model::average_models(files), final = model::load_model(result.model);
  const auto a = mean.parameters->values().values<float>(), b = final.parameters->values().values<float>();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_EQ(final.history.at("average_best"), "3");
  EXPECT_EQ(final.history.at("averaged_updates"), "20 25 30");
  EXPECT_NO_THROW(std::stod(final.history.at("best_valid_loss")));
}

TEST_F(RunOptions, TheMovingAverageIsTheModel) {
  TrainOptions o = options("ema");
  o.ema = 0.9;
  o.valid_sets.clear();
  run(o);
  const model::LoadedModel model = model::load_model(o.model + "/model.safetensors");
  const LoadedCheckpoint last = load_checkpoint(o.model + "/checkpoints", 30);
  std::vector<float> average(static_cast<size_t>(model.parameters->values().size())), values(average.size());
  last.read("average", Tensor::of(average.data(), {std::ssize(average)}));
  last.read("values", Tensor::of(values.data(), {std::ssize(values)}));
  const auto final = model.parameters->values().values<float>();
  EXPECT_EQ(std::vector<float>(final.begin(), final.end()), average);
  EXPECT_NE(average, values);
}

TEST_F(RunOptions, StopsWhenTheChosenMetricGetsNoBetter) {
  TrainOptions o = options("patience");
  o.max_updates = 0;
  o.max_epochs = 200;
  o.best_by = "loss";
  o.lr = 1e-12;  // each validation is about as good as the first
  o.valid_every = "1";
  o.patience = 4;
  const TrainResult result = run(o);
  EXPECT_LT(result.epochs, 200);
  ASSERT_TRUE(result.best_score);
  EXPECT_GT(*result.best_score, 1) << "a loss, not a BLEU";
}

TEST_F(RunOptions, ModelsOfTheWarmUpAreNotCountedForPatience) {
  TrainOptions o = options("warming");
  o.max_updates = 0;
  o.max_epochs = 200;
  o.lr = 1e-12;  // BLEU does not change
  o.warmup = 25;
  o.valid_every = "1";
  o.patience = 2;
  run(o);
  std::istringstream in(read_file(o.model + "/valid.jsonl"));
  std::vector<nlohmann::json> all;
  for (std::string line; std::getline(in, line);) all.push_back(nlohmann::json::parse(line));
  EXPECT_EQ(all.back()["update"], 26) << "24 in the warm-up, two that count";
  EXPECT_EQ(all.back()["bleu"], all.front()["bleu"]) << "or this says nothing";
  EXPECT_EQ(model::load_model(o.model + "/best.safetensors").history.at("updates"), "24") << "the latest of equal ones";
}

TEST_F(RunOptions, AFrozenPartKeepsItsBits) {
  TrainOptions o = options("frozen");
  o.freeze = "encoder,embeddings";
  o.ema = 0.9;
  o.weight_decay = 0.1;
  o.average_last = 3;
  const model::LoadedModel model = model::load_model(run(o).model);
  model::Transformer start(model.config);
  model::Parameters memory(start, DType::f32, model::Parameters::Use::inference);
  model::initialize(start, o.seed, o.init_gain);
  std::map<std::string, std::vector<float>> before;
  auto numbers = [](const model::Parameter& p) {
    const auto v = p.value.values<float>();
    return std::vector<float>(v.begin(), v.end());
  };
  model::for_each<model::Parameter>(
      start, [&](const std::string& name, const model::Parameter& p) { before[name] = numbers(p); });
  model::for_each<model::Parameter>(*model.net, [&](const std::string& name, const model::Parameter& p) {
    EXPECT_EQ(numbers(p) == before.at(name), !name.starts_with("decoder.")) << name;
  });
}

// Gain, bias and running statistics: a frozen encoder's output for a sentence must not change.
TEST_F(RunOptions, AFrozenBatchNormKeepsItsStatistics) {
  TrainOptions first = options("first"), tuned = options("tuned");
  first.architecture.norm = tuned.architecture.norm = "batch";
  first.valid_sets.clear(), tuned.valid_sets.clear();
  run(first);
  tuned.init_from = first.model + "/model.safetensors";
  tuned.freeze = "encoder";
  tuned.ema = 0.9;
  const model::LoadedModel before = model::load_model(tuned.init_from), after = model::load_model(run(tuned).model);
  std::map<std::string, std::vector<float>> start;
  auto numbers = [](const model::Buffer& b) {
    const auto v = b.value.values<float>();
    return std::vector<float>(v.begin(), v.end());
  };
  model::for_each<model::Buffer>(*before.net,
                                 [&](const std::string& name, const model::Buffer& b) { start[name] = numbers(b); });
  model::for_each<model::Buffer>(*after.net, [&](const std::string& name, const model::Buffer& b) {
    EXPECT_EQ(numbers(b) == start.at(name), name.starts_with("encoder.")) << name;
  });
}

TEST_F(RunOptions, TheMovingAverageHasStatisticsOfItsOwn) {
  TrainOptions o = options("ema");
  o.architecture.norm = "batch";
  o.ema = 0.9;
  o.valid_sets.clear();
  run(o);
  const model::LoadedModel model = model::load_model(o.model + "/model.safetensors");
  const LoadedCheckpoint last = load_checkpoint(o.model + "/checkpoints", 30);
  std::vector<float> average(static_cast<size_t>(model.parameters->buffers().size())), raw(average.size());
  last.read("average_buffers", Tensor::of(average.data(), {std::ssize(average)}));
  last.read("buffers", Tensor::of(raw.data(), {std::ssize(raw)}));
  const auto final = model.parameters->buffers().values<float>();
  EXPECT_EQ(std::vector<float>(final.begin(), final.end()), average);
  EXPECT_NE(average, raw);
}

// For example a Latin-1 name. JSON cannot hold such bytes.
TEST_F(RunOptions, NamesOfFilesNeedNotBeUtf8) {
  TrainOptions o = options("run\xE9");
  const std::string a = folder_ + "/caf\xE9.en", b = folder_ + "/caf\xE9.de";
  fs::copy_file(folder_ + "/a", a), fs::copy_file(folder_ + "/b", b);
  TrainOptions first = options("first\xE9");
  first.text.target_normalization = first.text.source_normalization;
  first.max_updates = 4;
  run(first);
  o.vocab = first.model + "/vocab.spm";
  o.init_from = first.model + "/model.safetensors";
  o.train_sets = o.valid_sets = {a, b, folder_ + "/a", folder_ + "/b"};
  o.text.temp_dir = first.model;
  o.max_updates = 12;
  run(o);
  o.max_updates = 20;
  const model::LoadedModel model = model::load_model(run(o).model);
  EXPECT_THAT(model.history.at("options"), HasSubstr("caf\uFFFD.en"));
  EXPECT_THAT(model.history.at("data"), HasSubstr("caf\uFFFD.en"));
}

TEST_F(RunOptions, FineTuningStartsFromTheModel) {
  TrainOptions first = options("first"), scratch = options("scratch"), tuned = options("tuned");
  first.max_updates = 300;
  first.valid_sets.clear();
  first.vocab_size = 50;
  run(first);
  scratch.max_updates = tuned.max_updates = 1;
  tuned.init_from = first.model + "/model.safetensors";
  tuned.warmup = 10;  // fewer updates than the tuned run makes
  Losses from_nothing, from_model;
  run(scratch, from_nothing, false);
  run(tuned, from_model, false);
  EXPECT_LT(from_model.reports.front().loss, 0.6 * from_nothing.reports.front().loss);
  EXPECT_THAT(from_model.notes, HasSubstr("pieces keep their embeddings"));
  for (const char* side : {"source", "target"})
    EXPECT_EQ(read_file(cat(tuned.model, "/vocab.", side, ".spm")),
              read_file(cat(first.model, "/vocab.", side, ".spm")));
  EXPECT_EQ(model::load_model(tuned.model + "/model.safetensors").history.at("init_from"), tuned.init_from);
  tuned.max_updates = 12;
  Losses resumed;
  run(tuned, resumed, false);
  EXPECT_EQ(resumed.notes, "") << "a run that goes on does not start again";
}

TEST_F(RunOptions, ARunIsNotResumedWithOptionsThatChangeIt) {
  TrainOptions o = options("same");
  o.max_updates = 6;
  run(o);
  auto message = [&](auto change) {
    TrainOptions other = o;
    change(other);
    return what_of<UsageError>([&] { run(other); });
  };
  EXPECT_THAT(message([](auto& c) { c.accumulate = 2; }), HasSubstr("accumulate was 1, now it is 2"));
  EXPECT_THAT(message([](auto& c) { c.architecture.d_model = 64; }), HasSubstr("dim-model was 32, now it is 64"));
  EXPECT_THAT(message([](auto& c) { c.architecture.heads = 4; }), HasSubstr("heads was 2, now it is 4"));
  EXPECT_THAT(message([](auto& c) { c.ema = 0.9; }), HasSubstr("ema was 0.0, now it is 0.9"));
  EXPECT_THAT(message([](auto& c) { c.weight_decay = 0.1; }), HasSubstr("weight-decay was 0.0, now it is 0.1"));
  EXPECT_THAT(message([](auto& c) { c.schedule = "constant"; }),
              HasSubstr("schedule was \"inverse-sqrt\", now it is \"constant\""));
  EXPECT_THAT(message([](auto& c) { c.freeze = "encoder"; }), HasSubstr("freeze was \"\", now it is \"encoder\""));
  EXPECT_THAT(message([](auto& c) { c.best_by = "loss"; }), HasSubstr("best-by was \"bleu\", now it is \"loss\""));
  EXPECT_THAT(message([](auto& c) { c.average_best = 2; }), HasSubstr("average-best was 0, now it is 2"));
  EXPECT_THAT(message([](auto& c) { c.label_smoothing = 0; }), HasSubstr("label-smoothing was 0.1, now it is 0.0"));
  EXPECT_THAT(message([](auto& c) { c.beta2 = 0.999; }), HasSubstr("adam-beta2 was 0.98, now it is 0.999"));
  fs::copy_file(o.model + "/model.safetensors", folder_ + "/start");
  EXPECT_THAT(message([&](auto& c) { c.init_from = folder_ + "/start"; }), HasSubstr("init-from was \"\""));
  EXPECT_THAT(message([](auto& c) { c.schedule = "plateau"; }), HasSubstr("schedule was \"inverse-sqrt\""));
  EXPECT_EQ(message([](auto& c) { c.lr = 1e-3, c.clip_norm = 1, c.max_updates = 7, c.threads = 2; }),
            "(no such error was thrown)")
      << "these may change";
}

TEST_F(RunOptions, WhatChangesOnTheWayIsInTheRecord) {
  TrainOptions o = options("changed");
  o.valid_sets.clear();
  auto history = [&](int64_t updates) {
    o.max_updates = updates;
    return model::load_model(run(o).model).history;
  };
  history(10);
  EXPECT_FALSE(history(12).contains("changed")) << "more updates are no change";
  TrainOptions whole = o;
  whole.model += "_whole";
  run(whole);
  EXPECT_TRUE(same_model(o, whole));
  o.lr = 1e-3;
  o.warmup = 30;
  EXPECT_EQ(history(15).at("changed"), "update 12: lr 0.003 -> 0.001, warmup 20 -> 30");
  EXPECT_EQ(history(20).at("changed"), "update 12: lr 0.003 -> 0.001, warmup 20 -> 30") << "it has stayed so";
  o.clip_norm = 1;
  EXPECT_EQ(history(22).at("changed"), "update 12: lr 0.003 -> 0.001, warmup 20 -> 30; update 20: clip-norm 0 -> 1");
  o.valid_sets = o.train_sets;
  o.average_last = 2;
  o.final_model = "mean";  // otherwise it may be the best model, from before the change
  EXPECT_THAT(history(24).at("changed"),
              testing::ContainsRegex("update 22: average-last 0 -> 2, hash of valid-sets none -> "));
}

TEST_F(RunOptions, ADecayThatFollowedTheUpdatesEndsWhereItDid) {
  for (const char* schedule : {"cosine", "linear"}) {
    TrainOptions o = options(schedule), whole = options(cat(schedule, "_whole"));
    o.schedule = whole.schedule = o.schedule.parse("schedule", schedule);
    o.min_lr = whole.min_lr = 1e-4;
    o.valid_sets.clear(), whole.valid_sets.clear();
    run(o);
    o.max_updates = whole.max_updates = 35;
    whole.decay_updates = 30;
    Losses resumed;
    EXPECT_EQ(run(o, resumed, false).updates, 35);
    EXPECT_THAT(resumed.notes, HasSubstr("the learning rate still decays until update 30, as when the run started"));
    run(whole);
    EXPECT_TRUE(same_model(o, whole)) << schedule;
    for (const int64_t limit : {5, 0}) {  // a new run would be rejected with either
      o.decay_updates = 0;
      o.max_updates = limit;
      o.max_epochs = 1;
      const TrainOptions resolved = with_decay_of_run(o, EarlierRun::in(o.model), resumed);
      EXPECT_EQ(resolved.decay_updates, 30) << limit;
      EXPECT_NO_THROW(resolved.check()) << limit;
    }
    o.max_updates = 35;
    o.decay_updates = 34;
    EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
                HasSubstr("decay-updates was 30, now it is 34 (leave `decay-updates` out, and it stays 30)"));
  }
}

TEST_F(RunOptions, ARunThatEndsBeforeItsFirstValidationSaysSo) {
  auto notes = [&](const std::string& name, auto change) {
    TrainOptions o = options(name);
    o.max_updates = 4;
    o.warmup = 1;
    change(o);
    Losses watcher;
    run(o, watcher, false);
    return watcher.notes;
  };
  EXPECT_EQ(notes("updates", [](auto& o) { o.valid_every = "5"; }),
            "the run ends at update 4, before its first validation at update 5 (`valid-every` 5): lower `valid-every` "
            "to 4 or less to have one\n");
  EXPECT_THAT(notes("epochs", [](auto& o) { o.valid_every = "3e"; }), HasSubstr("the run ends at update 4, before"));
  EXPECT_THAT(notes("best", [](auto& o) { o.average_best = 2; }),
              HasSubstr("without any, `average-best` 2 has no models"));
  EXPECT_THAT(notes("limit", [](auto& o) { o.max_updates = 0, o.max_epochs = 1, o.valid_every = "999"; }),
              HasSubstr("before its first validation at update 999"));
  EXPECT_EQ(notes("validated", [](auto& o) { o.valid_every = "4"; }), "");
  EXPECT_EQ(notes("epoch", [](auto& o) { o.max_updates = 0, o.max_epochs = 1, o.valid_every = "1e"; }), "");
  EXPECT_EQ(notes("nothing", [](auto& o) { o.valid_sets.clear(); }), "");
}

TEST_F(RunOptions, AFolderForTemporaryFilesMustBeThere) {
  TrainOptions o = options("temporary");
  o.text.temp_dir = folder_ + "/none";
  o.train_sets = {folder_ + "/not", folder_ + "/read"};
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("`temp-dir` " + o.text.temp_dir + " is not a folder"));
  EXPECT_FALSE(fs::exists(o.text.temp_dir));
  EXPECT_FALSE(fs::exists(o.model));
}

TEST_F(RunOptions, AreCheckedBeforeAnythingIsRead) {
  auto message = [&](auto change) {
    TrainOptions o = options("checked");
    return what_of<UsageError>([&] {
      change(o);
      o.check();
    });
  };
  EXPECT_THAT(message([](auto& o) { o.schedule = o.schedule.parse("schedule", "steps"); }),
              HasSubstr("`schedule` is 'steps', but must be one of: inv"));
  EXPECT_THAT(message([](auto& o) { o.best_by = o.best_by.parse("best-by", "ter"); }),
              HasSubstr("`best-by` is 'ter', but must be one of: auto, bleu"));
  EXPECT_THAT(message([](auto& o) { o.accumulate = 0; }),
              HasSubstr("`accumulate` is 0, but must be a whole number from 1"));
  EXPECT_THAT(message([](auto& o) { o.ema = 1; }),
              HasSubstr("`ema` is 1, but must be a number at least 0 and below 1"));
  EXPECT_THAT(message([](auto& o) { o.weight_decay = -1; }), HasSubstr("`weight-decay` is -1"));
  EXPECT_THAT(message([](auto& o) { o.lr_factor = -1; }), HasSubstr("`lr-factor` is -1"));
  EXPECT_THAT(message([](auto& o) { o.min_lr = -1; }), HasSubstr("`min-lr` is -1"));
  EXPECT_THAT(message([](auto& o) { o.lr = 1e-3, o.min_lr = 2e-3; }),
              HasSubstr("`min-lr` is 0.002, above the peak learning rate 0.001 (`lr`); lower it"));
  EXPECT_THAT(message([](auto& o) { o.lr = 0, o.min_lr = 1; }), HasSubstr("(`lr` 0: the paper's)"));
  EXPECT_THAT(message([](auto& o) { o.lr = std::numeric_limits<double>::infinity(); }),
              HasSubstr("`lr` is inf, but must be a number from 0 to 1e+38"));
  EXPECT_THAT(message([](auto& o) { o.lr = -std::nan(""); }), HasSubstr("`lr` is nan, but"));
  EXPECT_THAT(message([](auto& o) { o.adam_eps = 0; }), HasSubstr("`adam-eps` is 0, but must be a number above 0"));
  EXPECT_THAT(message([](auto& o) { o.init_gain = 0; }), HasSubstr("`init-gain` is 0, but must be a number above 0"));
  EXPECT_THAT(message([](auto& o) { o.batch_tokens = -1; }),
              HasSubstr("`batch-tokens` is -1, but must be auto, or a whole number from 1"));
  EXPECT_THAT(message([](auto& o) { o.decay_updates = -1; }), HasSubstr("`decay-updates` is -1"));
  EXPECT_THAT(message([](auto& o) { o.plateau_factor = 1; }), HasSubstr("`plateau-factor` is 1"));
  EXPECT_THAT(message([](auto& o) { o.plateau_patience = 0; }), HasSubstr("`plateau-patience` is 0"));
  EXPECT_THAT(message([](auto& o) { o.average_best = -1; }), HasSubstr("`average-best` is -1"));
  EXPECT_THAT(message([](auto& o) { o.schedule = "cosine", o.max_updates = 0; }), HasSubstr("give `decay-updates`"));
  EXPECT_THAT(message([](auto& o) { o.average_last = 2, o.average_best = 3; }),
              HasSubstr("`average-last` 2 and `average-best` 3: the final model can be only one of these means"));
  EXPECT_THAT(message([](auto& o) { o.final_model = o.final_model.parse("final-model", "last"); }),
              HasSubstr("`final-model` is 'last', but must be one of: better, mean, best"));
  EXPECT_THAT(message([](auto& o) { o.final_model = "mean"; }), HasSubstr("give `average-last` or `average-best`"));
  EXPECT_THAT(message([](auto& o) { o.valid_sets.clear(), o.final_model = "best"; }),
              HasSubstr("`final-model` best needs `valid-sets`"));
  EXPECT_THAT(message([](auto& o) { o.valid_sets.clear(), o.patience = 1; }),
              HasSubstr("`patience` needs `valid-sets`"));
  EXPECT_THAT(message([](auto& o) { o.valid_sets.clear(), o.average_best = 1; }), HasSubstr("`average-best` needs"));
  EXPECT_THAT(message([](auto& o) { o.valid_sets.clear(), o.schedule = "plateau"; }),
              HasSubstr("`schedule` plateau needs `valid-sets`"));
  EXPECT_THAT(what_of<UsageError>([&] {
                TrainOptions o = options("unknown");
                o.freeze = "encodr";
                run(o);
              }),
              HasSubstr("`freeze` names 'encodr'"));
}

}  // namespace
}  // namespace hexapla::train
