// A run whose loss is not finite, or jumps: its message, its files, and replaying the step.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>

#include "base/files/test_folder.h"
#include "data/files/lines.h"
#include "train/loop/replay.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Failure : public Training {
 protected:
  std::string what_of_run(const TrainOptions& o) const {
    return what_of<RunError>([&] { run(o); });
  }
  StepFindings replay(const TrainOptions& o) const {
    const SavedStep saved = load_step(o.model);
    const auto backend = make_backend();
    Arena arena = make_arena(*backend, size_t{1} << 30);
    saved.parameters->move_to(*backend);
    Context cx{*backend, arena};
    return check_step(cx, *saved.model, *saved.parameters, saved.step);
  }
  // Replaces one weight in a checkpoint that the run resumes from.
  TrainOptions planted(const std::string& name, const std::string& parameter, float value, int64_t update = 5) const {
    TrainOptions o = options(name);
    o.max_updates = update;
    run(o);
    const LoadedCheckpoint c = load_checkpoint(o.model + "/checkpoints", update);
    model::Config config = o.architecture;
    config.source_vocab = config.target_vocab = prepare_data(o).pairs.target.size();
    config.resolve();
    model::Transformer model(config);
    model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
    c.read("values", parameters.values());
    Tensor first = parameters.slab_like_values(), second = parameters.slab_like_values();
    c.read("first_moments", first);
    c.read("second_moments", second);
    bool found = false;
    model::for_each<model::Parameter>(model, [&](const std::string& n, model::Parameter& p) {
      if (n != parameter) return;
      p.value.data<float>()[3] = value;
      found = true;
    });
    EXPECT_TRUE(found) << parameter;
    save_checkpoint(o.model + "/checkpoints", update,
                    {{{"values", parameters.values()}, {"first_moments", first}, {"second_moments", second}}, c.state});
    o.max_updates = update + 25;
    return o;
  }
};

TEST_F(Failure, APlantedNanIsFoundWithItsParameterOpAndLayer) {
  const TrainOptions o = planted("nan", "decoder.layers.0.feed_forward.inner.weight", std::nanf(""));
  const std::string message = what_of_run(o);
  EXPECT_THAT(message, HasSubstr("the loss became nan at update 6; the batch holds line"));
  EXPECT_THAT(message, HasSubstr("the first bad value is in y of linear, in decoder.layers.0.feed_forward"));
  EXPECT_THAT(message,
              HasSubstr("decoder.layers.0.feed_forward.inner.weight held 1 NaN of 2048 values before the step"));
  EXPECT_THAT(message, AllOf(HasSubstr("rerun the step with: hexapla replay " + o.model), HasSubstr("lower `lr`")));
  const StepFindings again = replay(o);
  ASSERT_TRUE(again.bad());
  EXPECT_THAT(message, HasSubstr(again.text()));
}

TEST_F(Failure, ALearningRateThatOverflowsIsFoundAtTheNextStep) {
  TrainOptions o = options("overflow");
  o.lr = 1e38;
  o.warmup = 1;
  const std::string message = what_of_run(o);
  EXPECT_THAT(message, ContainsRegex("the (loss|gradient) became -?(nan|inf) at update 2"));
  EXPECT_THAT(message, ContainsRegex("held [0-9]+ infinite of [0-9]+ values and [0-9]+ more parameters had bad values, "
                                     "too, before the step"));
  EXPECT_THAT(message,
              HasSubstr("Nothing has been saved yet: lower `lr`, raise `warmup` or set `clip-norm` 1, and the same "
                        "command starts over"));
  EXPECT_THAT(message, Not(HasSubstr("checkpoint")));
  const SavedStep saved = load_step(o.model + "/failure");
  EXPECT_EQ(saved.step.update, 2);
  EXPECT_TRUE(replay(o).bad());
}

TEST_F(Failure, LeavesTheLinesOfTheBatchAndWhatWasFound) {
  TrainOptions o = options("lines");
  o.lr = 1e38;
  o.warmup = 1;
  what_of_run(o);
  const auto source = data::read_checked_lines(folder_ + "/a"), target = data::read_checked_lines(folder_ + "/b");
  std::ifstream in(o.model + "/failure/lines.txt");
  size_t count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const size_t at = std::stoul(line) - 1;
    ASSERT_LT(at, source.size());
    EXPECT_EQ(line, cat(at + 1, "\t", source[at], "\t", target[at]));
  }
  EXPECT_EQ(count, load_step(o.model).step.batches.front().lines.size());
  EXPECT_THAT(read_file(o.model + "/failure/report.txt"), HasSubstr("the first bad value is in"));
}

TEST_F(Failure, LinesNameTheirSet) {
  TrainOptions o = options("sets");
  write_toy_corpus(folder_ + "/c", folder_ + "/d", 60, 8);
  o.train_sets = {folder_ + "/a", folder_ + "/b", folder_ + "/c", folder_ + "/d"};
  o.lr = 1e38;
  o.warmup = 1;
  what_of_run(o);
  const std::vector<std::string> sources[] = {data::read_checked_lines(folder_ + "/a"),
                                              data::read_checked_lines(folder_ + "/c")};
  std::ifstream in(o.model + "/failure/lines.txt");
  size_t of_second = 0;
  for (std::string line; std::getline(in, line);) {
    const size_t set = std::stoul(line) - 1, at = std::stoul(line.substr(line.find(':') + 1)) - 1;
    ASSERT_LT(set, 2u) << line;
    ASSERT_LT(at, sources[set].size()) << line;
    EXPECT_THAT(line, HasSubstr("\t" + sources[set][at] + "\t"));
    of_second += set == 1;
  }
  EXPECT_GT(of_second, 0u);
  EXPECT_EQ(load_step(o.model).step.batches.front().corpora.size(),
            load_step(o.model).step.batches.front().lines.size());
}

TEST_F(Failure, TheSameCommandWithALowerRateGoesOn) {
  TrainOptions o = options("mended");
  o.max_updates = 10;
  run(o);
  o.max_updates = 20;
  o.lr = 1e38;
  EXPECT_THAT(what_of_run(o), HasSubstr("The last checkpoint is intact: lower `lr`"));
  EXPECT_TRUE(std::filesystem::exists(o.model + "/failure"));
  o.lr = 1e-3;
  EXPECT_EQ(run(o).updates, 20);
  EXPECT_FALSE(std::filesystem::exists(o.model + "/failure")) << "it is fixed: nothing to replay";
}

// The last step makes infinite weights: they must not be written.
TEST_F(Failure, WeightsThatAreNotFiniteAreNeverSaved) {
  TrainOptions o = options("last");
  o.lr = 1e38;
  o.warmup = 1;
  o.valid_sets.clear();
  o.max_updates = 1;
  const std::string message = what_of_run(o);
  EXPECT_THAT(
      message,
      HasSubstr("update 1 produced weights that are not finite; no model is written. Nothing has been saved yet"));
  EXPECT_FALSE(std::filesystem::exists(o.model + "/model.safetensors"));
  EXPECT_TRUE(list_checkpoints(o.model + "/checkpoints").empty());
}

TEST_F(Failure, TheReplayedStepIsTheStep) {
  TrainOptions o = options("jump");
  o.max_updates = 110;
  run(o);
  o.max_updates = 200;
  o.lr = 2;
  o.max_loss_jump = 1.5;
  const std::string message = what_of_run(o);
  EXPECT_THAT(message,
              ContainsRegex("the loss jumped to [0-9.]+ per token, [0-9.]+ times its running mean of [0-9.]+ at "
                            "update 1[0-9][0-9]"));
  const StepFindings again = replay(o);
  EXPECT_FALSE(again.bad());
  EXPECT_THAT(message,
              HasSubstr(fmt::format("jumped to {:.4f} per token", again.loss.loss / double(again.loss.tokens))));
  EXPECT_THAT(message, HasSubstr(again.text()));
}

TEST_F(Failure, JumpsAreLookedForFromTheHundredthUpdateOn) {
  const std::string weight = "decoder.layers.0.feed_forward_norm.gain";
  TrainOptions early = planted("early", weight, 1e4F, 98), hundredth = planted("hundredth", weight, 1e4F, 99);
  early.max_loss_jump = hundredth.max_loss_jump = 1.5;
  early.max_updates = 99;
  run(early);
  EXPECT_THAT(what_of_run(hundredth), ContainsRegex("the loss jumped to .* at update 100;"));
}

TEST_F(Failure, AFolderWithoutAFailedStepIsNamed) {
  EXPECT_THAT(what_of<DataError>([&] { load_step(folder_); }),
              AllOf(HasSubstr(folder_), HasSubstr("holds no failed step; give the `model` folder")));
  TrainOptions o = options("sound");
  o.max_updates = 5;
  run(o);
  EXPECT_THAT(what_of<DataError>([&] { load_step(o.model + "/checkpoints"); }),
              HasSubstr("there is no 'step' in its state; it was not written by a failed step"));
}

TEST_F(Failure, AStepWithARemovedOptionNamesTheProgramThatHasIt) {
  const TrainOptions o = planted("removed", "decoder.layers.0.feed_forward_norm.gain", std::nanf(""));
  what_of_run(o);
  const auto set = [&](double alpha) {
    const std::string folder = o.model + "/failure";
    const LoadedCheckpoint saved = load_checkpoint(folder, 6);
    auto state = saved.state;
    auto step = nlohmann::json::parse(state.at("step"));
    step["r_drop"] = alpha;
    state["step"] = json_text(step);
    save_checkpoint(folder, 6, {{}, state});
  };
  set(5);
  EXPECT_THAT(what_of<DataError>([&] { load_step(o.model); }),
              AllOf(HasSubstr("the step cannot be computed again: `r-drop` is 5.0, but this option was removed"),
                    HasSubstr("hexapla 0.1.0 of commit be5f735")));
  set(0);
  EXPECT_THAT(what_of<DataError>([&] { load_step(o.model); }), Not(HasSubstr("r-drop"))) << "only tensors are missing";
}

TEST(Trouble, IsWhatIsNoNumberAndWhatJumps) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(trouble({10, 0, 5}, 1, 0, 0, 0), "");
  EXPECT_EQ(trouble({inf, 0, 5}, 1, 0, 0, 0), "the loss became inf");
  EXPECT_EQ(trouble({10, 0, 5}, inf, 0, 0, 0), "the gradient became inf");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(trouble({-nan, 0, 5}, 1, 0, 0, 0), "the loss became nan");
  EXPECT_EQ(trouble({10, 0, 5}, -nan, 0, 0, 0), "the gradient became nan");
  EXPECT_THAT(trouble({10, 0, 5}, 1.9e19, 0, 0, 0), HasSubstr("the gradient norm became 1.9e+19"));
  EXPECT_EQ(trouble({10, 0, 5}, 1.9e19, 1, 0, 0), "") << "what is clipped is not that large";
  EXPECT_EQ(trouble({10, 0, 5}, 1.8e19, 0, 0, 0), "");
  EXPECT_EQ(trouble({10, 0, 5}, 1, 0, 1, 2), "");
  EXPECT_EQ(trouble({11, 0, 5}, 1, 0, 1, 2),
            "the loss jumped to 2.2000 per token, 2.2 times its running mean of 1.0000");
  EXPECT_EQ(trouble({11, 0, 5}, 1, 0, 0, 2), "") << "too early to say";
}

}  // namespace
}  // namespace hexapla::train
