// The end of a run: which model results, and what it reports if the disk was full.
#include "train/loop/run/ending.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/loop/run/run_models.h"
#include "train/measure/validation.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Updates = std::vector<int64_t>;

TEST(UpdatesOfMean, AreTheNewestOfTheLastQuarter) {
  EXPECT_EQ(updates_of_mean({100, 200, 300, 400, 500, 600, 700, 800}, 800, 10, 50), (Updates{600, 700, 800}));
  EXPECT_EQ(updates_of_mean({700, 720, 740, 760, 780, 800}, 800, 3, 50), (Updates{760, 780, 800}));
  EXPECT_EQ(updates_of_mean({}, 800, 5, 50), Updates{800});
  EXPECT_EQ(updates_of_mean({600, 790, 900}, 800, 5, 50), (Updates{600, 790, 800}))
      << "what comes later is of another run";
  EXPECT_EQ(updates_of_mean({700, 650, 700}, 800, 5, 50), (Updates{650, 700, 800}));
}

TEST(UpdatesOfMean, AreNoneOfTheWarmUpUnlessAllAre) {
  EXPECT_EQ(updates_of_mean({80, 90, 100, 110}, 110, 5, 100), Updates{110});
  EXPECT_EQ(updates_of_mean({70, 80, 90}, 90, 5, 100), (Updates{70, 80, 90}));
}

class Ending : public Training {
 protected:
  // Model files are smaller than checkpoints if the vocabulary is small relative to the model.
  TrainOptions larger(const std::string& name) const {
    TrainOptions o = options(name);
    o.architecture.d_model = 64;
    o.architecture.d_ff = 128;
    o.warmup = 4;
    o.max_updates = 40;
    o.average_last = 3;
    o.final_model = "better";
    o.best_by = "loss";
    return o;
  }
  static std::vector<float> numbers(const Tensor& t) {
    const auto values = t.values<float>();
    return {values.begin(), values.end()};
  }
  double loss_of(TrainOptions o) const {
    o.valid_tokenize = "13a";
    const model::LoadedModel m = model::load_model(o.model + "/model.safetensors");
    const TrainingData data = prepare_data(o);
    const auto backend = make_backend();
    Arena arena = make_arena(*backend, size_t{1} << 30);
    m.parameters->move_to(*backend);
    Context cx{*backend, arena};
    return validate(cx, *m.net, data, o).loss;
  }
};

// Limits the file size from one update on, like a full disk.
struct Fills : TrainWatcher {
  Fills(int64_t u, rlim_t b) : update(u), bytes(b) {}
  void updated(const TrainReport& r) override {
    if (r.update == update) limit.emplace(bytes);
  }
  void note(const std::string& n) override { notes += n + "\n"; }
  int64_t update;
  rlim_t bytes;
  std::optional<FileSizeLimit> limit;
  std::string notes;
};

TEST_F(Ending, TheMeanIsValidatedAndTheBetterModelIsTheResult) {
  for (const char* choice : {"better", "mean", "best"}) {
    TrainOptions o = larger(choice);
    o.max_updates = 30;
    run(o);
    o.lr = 3;  // from here the model gets worse
    o.max_updates = 40;
    o.final_model = o.final_model.parse("final-model", choice);
    const TrainResult result = run(o);
    const model::LoadedModel m = model::load_model(result.model);
    const bool mean = o.final_model == "mean";
    EXPECT_EQ(result.contenders.front().what,
              mean ? "mean of the last 3 checkpoints" : "best single model (update 30)");
    ASSERT_THAT(result.contenders, SizeIs(o.final_model == "best" ? 1 : 2));
    EXPECT_NEAR(result.contenders.front().score.value(), loss_of(o), 1e-5);
    EXPECT_EQ(m.history.at("valid_loss"), cat(*result.contenders.front().score));
    EXPECT_EQ(m.history.at("weights"), mean ? "mean of the last 3 checkpoints" : "model of update 30");
    EXPECT_EQ(m.history.count("averaged"), mean ? 1u : 0u);
    if (o.final_model == "better") {
      EXPECT_GT(*result.contenders[1].score, *result.contenders[0].score);
    }
    EXPECT_THAT(result.missing, IsEmpty());
  }
}

TEST_F(Ending, AMeanThatIsNoWorseIsTheResult) {
  TrainOptions o = larger("mean");
  o.lr = 1e-30;  // all states are equal
  const TrainResult result = run(o);
  const model::LoadedModel m = model::load_model(result.model);
  EXPECT_EQ(m.history.at("averaged_updates"), "30 35 40");
  EXPECT_EQ(m.history.at("averaged"), "3");
  EXPECT_EQ(m.history.at("average_last"), "3");
  EXPECT_EQ(result.contenders.front().what, "mean of the last 3 checkpoints");
  EXPECT_EQ(*result.contenders[0].score, *result.contenders[1].score);
}

TEST_F(Ending, WithoutValidationTheMeanIsTaken) {
  TrainOptions o = larger("unmeasured");
  o.valid_sets.clear();
  o.best_by = "bleu";
  const TrainResult result = run(o);
  EXPECT_FALSE(result.contenders.front().score);
  EXPECT_EQ(model::load_model(result.model).history.at("averaged_updates"), "30 35 40");
}

// The last state enters the mean from memory, even if its checkpoint could not be written.
TEST_F(Ending, CheckpointsThatDoNotFitAreMissingButTheLastStateIsThere) {
  TrainOptions whole = larger("whole"), full = larger("full");
  whole.valid_sets.clear(), full.valid_sets.clear();
  whole.keep = 100;
  run(whole);
  const auto model = fs::file_size(whole.model + "/model.safetensors"),
             checkpoint = fs::file_size(whole.model + "/checkpoints/update-00000040/tensors.safetensors");
  ASSERT_LT(model, checkpoint);
  Fills disk(31, (model + checkpoint) / 2);
  const TrainResult result = run(full, disk, false);
  disk.limit.reset();
  EXPECT_THAT(disk.notes, HasSubstr("no checkpoint was written; training goes on"));
  EXPECT_THAT(result.missing, ElementsAre("the checkpoint of the last update: the run can resume from update 30 only",
                                          "1 of the 3 states for the mean: of updates 35"));
  EXPECT_THAT(what_of<RunError>([&] { require_whole(result); }),
              AllOf(HasSubstr("not everything could be written"), HasSubstr("of updates 35"),
                    HasSubstr("model.safetensors is the mean of the last 2 checkpoints")));
  const model::LoadedModel m = model::load_model(result.model);
  EXPECT_EQ(m.history.at("averaged_updates"), "30 40");
  const std::string checkpoints = whole.model + "/checkpoints/update-000000";
  const auto a = numbers(load_checkpoint_model(checkpoints + "30").parameters->values()),
             b = numbers(load_checkpoint_model(checkpoints + "40").parameters->values());
  std::vector<float> mean(a.size());
  for (size_t i = 0; i < a.size(); ++i) mean[i] = static_cast<float>((double(a[i]) + double(b[i])) / 2);
  EXPECT_EQ(numbers(m.parameters->values()), mean);
}

TEST_F(Ending, ALostCheckpointIsNotForgottenByAResumedRun) {
  TrainOptions whole = larger("whole"), o = larger("resumed");
  whole.valid_sets.clear(), o.valid_sets.clear();
  run(whole);
  const auto model = fs::file_size(whole.model + "/model.safetensors"),
             checkpoint = fs::file_size(whole.model + "/checkpoints/update-00000040/tensors.safetensors");
  struct : Fills {
    using Fills::Fills;
    void updated(const TrainReport& r) override {
      Fills::updated(r);
      if (r.update == 37) limit.reset(), stop = true;
    }
    std::atomic<bool> stop{false};
  } disk(31, (model + checkpoint) / 2);
  EXPECT_EQ(run(o, disk, disk.stop).end, TrainEnd::interrupted);
  EXPECT_THAT(run(o).missing, ElementsAre("1 of the 3 states for the mean: of updates 35"));
}

TEST_F(Ending, ABestModelThatDoesNotFitIsMissing) {
  TrainOptions o = larger("best");
  o.average_last = 0;
  o.max_updates = 20;
  o.valid_every = "10";
  run(o);
  const std::string first = read_file(o.model + "/best.safetensors");
  o.max_updates = 40;
  Fills disk(25, first.size() - 1);  // the model of update 30 does not fit
  const TrainResult result = run(o, disk, false);
  disk.limit.reset();
  ASSERT_THAT(result.missing, testing::Contains(HasSubstr("the best model (validation loss ")));
  EXPECT_EQ(result.contenders.front().what, "best single model (update 20)");
  EXPECT_EQ(read_file(result.model), first) << "under a second name, which takes no space";
}

TEST_F(Ending, WithoutAModelAnEarlierOneIsSetAside) {
  TrainOptions o = larger("none");
  o.valid_sets.clear();
  o.max_updates = 20;
  run(o);
  const std::string earlier = read_file(o.model + "/model.safetensors");
  o.max_updates = 40;
  Fills disk(25, 1000);
  const std::string what = what_of<RunError>([&] { run(o, disk, false); });
  disk.limit.reset();
  EXPECT_THAT(what, AllOf(HasSubstr("its model could not be written"), HasSubstr("earlier-model.safetensors"),
                          HasSubstr("the same command resumes")));
  EXPECT_FALSE(fs::exists(o.model + "/model.safetensors"));
  EXPECT_EQ(read_file(o.model + "/earlier-model.safetensors"), earlier);
  EXPECT_THAT(run(o).missing, IsEmpty());
}

TEST_F(Ending, CheckpointsThatNoMeanCanTakeMakeRoom) {
  TrainOptions o = larger("room");
  o.valid_sets.clear();
  o.keep = 10;
  o.max_updates = 20;
  run(o);
  const std::string checkpoints = o.model + "/checkpoints";
  EXPECT_EQ(remove_out_of_reach(checkpoints, 20, true), 2);
  EXPECT_THAT(list_checkpoints(checkpoints), ElementsAre(15, 20));
  EXPECT_EQ(remove_out_of_reach(checkpoints, 1000, true), 1) << "the newest stays";
  EXPECT_EQ(remove_out_of_reach(checkpoints, 20, false), 0);
}

TEST_F(Ending, ADamagedCheckpointCostsItsShareNotTheModel) {
  TrainOptions o = larger("damaged");
  o.valid_sets.clear();
  struct : TrainWatcher {
    void updated(const TrainReport& r) override {
      if (r.update == 39) fs::resize_file(file, 100);
    }
    std::string file;
  } damages;
  damages.file = o.model + "/checkpoints/update-00000035/tensors.safetensors";
  const TrainResult result = run(o, damages, false);
  EXPECT_THAT(result.missing, ElementsAre("1 of the 3 states for the mean: of updates 35"));
  EXPECT_EQ(model::load_model(result.model).history.at("averaged_updates"), "30 40");
}

TEST_F(Ending, WhatAKilledRunLeftHalfWrittenIsRemoved) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const TrainOptions o = options("killed");
  const std::string half = cat(o.model, "/vocab.spm.tmp-", child, "-0"),
                    unfinished = o.model + "/checkpoints/.tmp-update-00000003";
  fs::create_directories(unfinished);
  std::ofstream(half) << "half of a vocabul";
  StopAt first(1);
  run(o, first, first.stop);
  EXPECT_FALSE(fs::exists(half));
  EXPECT_FALSE(fs::exists(unfinished));
}

TEST_F(Ending, ModelsOfARunAreFoundByTimeAndByScore) {
  TrainOptions o = larger("kept");
  o.keep = 4;
  o.valid_every = "5";
  run(o);
  const std::string checkpoints = o.model + "/checkpoints/update-000000";
  EXPECT_THAT(last_models(o.model, 2), ElementsAre(checkpoints + "35", checkpoints + "40"));
  std::ofstream(o.model + "/valid.jsonl") << "{\"update\": 25, \"loss\": 2}\n{\"update\": 30, \"loss\": 4}\n"
                                             "{\"update\": 35, \"loss\": 3}\n{\"update\": 20, \"loss\": 1}\n";
  EXPECT_THAT(best_models(o.model, 2), ElementsAre(checkpoints + "25", checkpoints + "35")) << "20 is gone";
  EXPECT_THAT(what_of<DataError>([&] { last_models(o.model, 5); }),
              HasSubstr("holds 4 checkpoints, fewer than `last` 5"));
  EXPECT_THAT(what_of<DataError>([&] { best_models(o.model, 4); }), HasSubstr("holds 3 validated models, fewer than"));
}

}  // namespace
}  // namespace hexapla::train
