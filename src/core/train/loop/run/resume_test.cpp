// Resuming with damaged checkpoints, lost updates of a killed run, and changed validation sets.
#include "train/loop/run/resume.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/loop/run/run_models.h"
#include "train/record/best_files.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct KilledHere {};

struct Told : TrainWatcher {
  void note(const std::string& n) override { notes += n + "\n"; }
  void validated(const Validation& v) override {
    validations.push_back(v);
    if (v.update == kill_when_validated) throw KilledHere();
  }
  void saved(int64_t update, const std::string&) override {
    if (update == kill_when_saved) throw KilledHere();
  }
  int64_t kill_when_validated = -1, kill_when_saved = -1;
  std::string notes;
  std::vector<Validation> validations;
};

class Resume : public Training {
 protected:
  static std::string checkpoints(const TrainOptions& o) { return o.model + "/checkpoints"; }
  static void damage(const TrainOptions& o, int64_t update) {
    fs::resize_file(path_of(o, update) + "/tensors.safetensors", 100);
  }
  static std::string path_of(const TrainOptions& o, int64_t update) {
    return cat(checkpoints(o), "/update-000000", update < 10 ? "0" : "", update);
  }
  void stop_at(const TrainOptions& o, int64_t update) const {
    StopAt watcher(update);
    EXPECT_EQ(run(o, watcher, watcher.stop).end, TrainEnd::interrupted);
  }
  void kill(const TrainOptions& o, int64_t when_validated, int64_t when_saved) const {
    Told watcher;
    watcher.kill_when_validated = when_validated, watcher.kill_when_saved = when_saved;
    EXPECT_THROW(run(o, watcher, false), KilledHere);
  }
  std::string told(const TrainOptions& o) const {
    Told watcher;
    run(o, watcher, false);
    return watcher.notes;
  }
  // Files of a folder with their content.
  static std::map<std::string, std::string> content(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      all[entry.path().string()] = entry.is_regular_file() ? read_file(entry.path().string()) : "folder";
    return all;
  }
};

// ---- the run folder ----

TEST_F(Resume, AFolderInUseStaysAsItIs) {
  TrainOptions o = options("used");
  const TrainingData first = prepare_data(o);
  const auto before = content(o.model);
  TrainOptions second = o;
  second.text.separate_vocabs = true;
  EXPECT_THAT(what_of<RunError>([&] { prepare_data(second); }),
              HasSubstr(cat(o.model, " is in use by another run, process ", getpid())));
  EXPECT_THAT(what_of<RunError>([&] { run(o); }), HasSubstr("is in use by another run"));
  EXPECT_EQ(content(o.model), before);
  TrainWatcher silent;
  const auto backend = make_backend();
  EXPECT_EQ(train(o, first, *backend, silent, false).end, TrainEnd::finished);
}

TEST_F(Resume, ARunThatIsRefusedChangesNothing) {
  TrainOptions o = options("refused");
  o.text.target_normalization = o.text.source_normalization;
  run(o);
  damage(o, 30);
  const auto before = content(o.model);
  TrainOptions other = o;
  other.text.separate_vocabs = true;
  EXPECT_THAT(what_of<UsageError>([&] { run(other); }), HasSubstr("holds a run with other options"));
  EXPECT_EQ(content(o.model), before);
}

TEST_F(Resume, ARunWithARemovedOptionNamesTheProgramThatHasIt) {
  TrainOptions o = options("removed");
  o.max_updates = 10;
  run(o);
  auto state = load_state(checkpoints(o), 10);
  auto identity = nlohmann::ordered_json::parse(state.at("identity"));
  identity["r-drop"] = 5.0;
  state["identity"] = json_text(identity);
  save_checkpoint(checkpoints(o), 10, {{}, state});
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
              AllOf(HasSubstr(o.model + " holds a run that this program cannot resume: `r-drop` is 5.0, but this"),
                    HasSubstr("hexapla 0.1.0 of commit be5f735")));
}

// ---- checkpoints ----

TEST_F(Resume, ADamagedCheckpointThatWasPassedOverEntersNoMean) {
  TrainOptions whole = options("whole"), o = options("passed_over");
  whole.average_last = o.average_last = 4;
  whole.final_model = o.final_model = "mean";
  whole.save_every = o.save_every = "3";
  run(whole);
  stop_at(o, 26);
  damage(o, 26);
  const TrainResult result = run(o);
  EXPECT_THAT(result.missing, IsEmpty());
  EXPECT_TRUE(same_model(o, whole));
  EXPECT_TRUE(fs::exists(checkpoints(o) + "/aside-update-00000026"));
}

TEST_F(Resume, AnExtraCheckpointThatAKillHasLeftEntersNoMean) {
  TrainOptions whole = options("whole"), o = options("extra");
  whole.average_last = o.average_last = 4;
  whole.final_model = o.final_model = "mean";
  run(whole);
  stop_at(o, 23);
  kill(o, -1, 25);
  EXPECT_THAT(list_checkpoints(checkpoints(o)), testing::Contains(23));
  run(o);
  EXPECT_TRUE(same_model(o, whole));
}

TEST_F(Resume, WithoutAnyWholeCheckpointItBeginsAnew) {
  TrainOptions whole = options("whole"), o = options("anew");
  whole.average_last = o.average_last = 3;
  run(whole);
  stop_at(o, 8);
  for (const int64_t update : list_checkpoints(checkpoints(o))) damage(o, update);
  EXPECT_THAT(told(o), HasSubstr("which is damaged"));
  EXPECT_TRUE(same_model(o, whole));
}

// ---- best models ----

TEST_F(Resume, BestModelsOfAnOlderCheckpointAreThere) {
  TrainOptions whole = options("whole"), o = options("fell_back");
  for (TrainOptions* each : {&whole, &o}) {
    each->average_best = 2;
    each->final_model = "mean";
    each->warmup = 4;
    each->best_by = "loss";
    each->valid_every = "3";
  }
  whole.max_updates = 22;
  run(whole);
  o.max_updates = 25;  // its best models are those of updates 21 and 24
  run(o);
  damage(o, 25);
  o.max_updates = 22;
  const TrainResult result = run(o);
  EXPECT_THAT(result.missing, IsEmpty());
  EXPECT_EQ(model::load_model(result.model).history.at("averaged_updates"), "18 21");
  EXPECT_TRUE(same_model(o, whole));
}

TEST_F(Resume, TheBestModelIsOfNoDiscardedFuture) {
  TrainOptions o = options("discarded");
  o.best_by = "loss";
  o.valid_every = "4";
  kill(o, 12, -1);  // the newest checkpoint is of update 10
  EXPECT_EQ(model::load_model(o.model + "/best.safetensors").history.at("updates"), "12");
  o.max_updates = 11;
  const TrainResult result = run(o);
  EXPECT_EQ(model::load_model(result.model).history.at("updates"), "8");
  EXPECT_EQ(result.contenders.front().what, "best single model (update 8)");
  EXPECT_EQ(read_file(o.model + "/best.safetensors"), read_file(result.model));
}

TEST_F(Resume, ABestModelWithoutAStateIsSetAside) {
  TrainOptions o = options("early");
  o.valid_every = "4";
  kill(o, 4, -1);  // before the first checkpoint
  const std::string best = read_file(o.model + "/best.safetensors");
  o.max_updates = 3;
  EXPECT_THAT(told(o), HasSubstr("earlier-best.safetensors"));
  EXPECT_FALSE(fs::exists(o.model + "/best.safetensors"));
  EXPECT_EQ(read_file(o.model + "/earlier-best.safetensors"), best);
}

TEST_F(Resume, BestModelsThatNoCheckpointNamesAreRemoved) {
  TrainOptions o = options("pruned");
  o.best_by = "loss";
  o.valid_every = "2";
  o.max_updates = 20;
  run(o);
  std::set<std::string> kept;
  for (const int64_t update : list_checkpoints(checkpoints(o)))
    kept.insert(best_model_path(o.model, std::stoll(load_state(checkpoints(o), update).at("best_update"))));
  std::set<std::string> found;
  for (const auto& file : fs::directory_iterator(o.model + "/best")) found.insert(file.path());
  EXPECT_EQ(found, kept);
}

TEST_F(Resume, TheBestModelSaysHowManyEpochsItHas) {
  TrainOptions o = options("epochs");
  o.valid_every = "1e";
  o.max_updates = 0;
  o.max_epochs = 1;
  run(o);
  EXPECT_EQ(model::load_model(o.model + "/best.safetensors").history.at("epochs"), "1");
  EXPECT_THAT(validations_of(o), HasSubstr("\"epoch\": 1,"));
}

// ---- changed validations ----

class OtherValidations : public Resume {
 protected:
  // -> the first validation after a change
  Validation after(const std::string& name, const std::string& metric, auto change) {
    TrainOptions o = options(name);
    o.best_by = o.best_by.parse("best-by", metric);
    o.max_updates = 10;
    o.valid_every = "2";
    o.average_best = 2;
    run(o);
    o.lr = 1e-9;  // about as good as before
    o.max_updates = 14;
    change(o);
    Told watcher;
    run(o, watcher, false);
    notes = watcher.notes;
    last = load_state(checkpoints(o), 14);
    return watcher.validations.at(0);
  }
  void write_hard_set() const {
    std::ofstream(folder_ + "/x") << "cat\n";
    std::ofstream(folder_ + "/y") << "red green dog small\n";
  }
  std::string notes;
  std::map<std::string, std::string> last;
};

TEST_F(OtherValidations, BySetsBeginAnew) {
  write_hard_set();
  const Validation v = after("sets", "loss", [&](TrainOptions& o) { o.valid_sets = {folder_ + "/x", folder_ + "/y"}; });
  EXPECT_TRUE(v.best);
  EXPECT_EQ(v.stalled, 0);
  EXPECT_THAT(notes, AllOf(HasSubstr("validations until update 10 used another metric (hash of valid-sets "),
                           HasSubstr("start over")));
  EXPECT_EQ(last.at("scores_since"), "10");
  EXPECT_THAT(last.at("best_models"), Not(HasSubstr("10:"))) << last.at("best_models");
  EXPECT_THAT(what_of<DataError>([&] { best_models(folder_ + "/sets", 3); }), HasSubstr("holds 2 validated models"))
      << "others have scores that say nothing here";
}

TEST_F(OtherValidations, ByABeamBeginAnewWhereItMatters) {
  EXPECT_TRUE(after("chrf", "chrf", [](TrainOptions& o) { o.valid_beam = 3; }).best);
  EXPECT_THAT(notes, HasSubstr("another metric (valid-beam 1 -> 3)"));
  EXPECT_FALSE(after("loss", "loss", [](TrainOptions& o) { o.valid_beam = 3, o.lr = 3; }).best);
  EXPECT_THAT(notes, Not(HasSubstr("another metric")));
  EXPECT_FALSE(last.contains("scores_since"));
}

TEST_F(OtherValidations, AreRememberedWhileThereAreNone) {
  TrainOptions o = options("none");
  o.best_by = "loss";
  o.max_updates = 10;
  run(o);
  o.valid_sets.clear();
  o.max_updates = 15;
  run(o);
  EXPECT_NE(load_state(checkpoints(o), 15).at("best_score"), "-1");
  write_hard_set();
  o.valid_sets = {folder_ + "/x", folder_ + "/y"};
  o.max_updates = 20;
  EXPECT_THAT(told(o), HasSubstr("another metric"));
}

}  // namespace
}  // namespace hexapla::train
