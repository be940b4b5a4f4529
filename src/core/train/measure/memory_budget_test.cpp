// The memory plan reported before the first step is exact to the byte, and proposed batches fit.
#include "train/measure/memory_budget.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <fstream>

#include "base/files/test_folder.h"
#include "base/system/child_process.h"
#include "base/system/machine.h"
#include "train/record/watch/watchers.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Started : TrainWatcher {
  void started(const TrainStart& s) override { start = s; }
  size_t part(const std::string& name) const {
    for (const auto& [n, bytes] : start.memory.parts)
      if (n == name) return bytes;
    return 0;
  }
  TrainStart start;
};

using Memory = Training;

TEST_F(Memory, AnnouncedPeakOfTheArenaIsTheRealOne) {
  for (const char* variant :
       {"plain", "additive", "batch norm", "pre", "gru", "convolution", "ssru", "experts", "capacity", "guided"}) {
    TrainOptions o = options(std::string("peak ") + variant);
    o.max_epochs = 3;
    o.max_updates = 0;
    if (variant == std::string("additive")) o.architecture.score = "additive";
    if (variant == std::string("batch norm")) o.architecture.norm = "batch";
    if (variant == std::string("pre")) o.architecture.norm_position = "pre", o.architecture.gated = true;
    if (variant == std::string("gru"))
      o.architecture.encoder_mixing = o.architecture.encoder_mixing.parse("encoder-mixing", variant);
    if (variant == std::string("convolution"))
      o.architecture.encoder_mixing = o.architecture.encoder_mixing.parse("encoder-mixing", variant),
      o.architecture.kernel_width = 9;
    if (variant == std::string("ssru"))
      o.architecture.decoder_mixing = o.architecture.decoder_mixing.parse("decoder-mixing", variant);
    if (variant == std::string("experts"))
      o.architecture.experts = 4, o.architecture.experts_per_token = 2, o.architecture.activation = "gelu";
    if (variant == std::string("capacity")) o.architecture.experts = 3, o.architecture.expert_capacity = 0.7;
    if (variant == std::string("guided")) {
      o.guided_alignment = folder_ + "/links";
      std::ofstream links(o.guided_alignment);
      for (int pair = 0; pair < 60; ++pair) links << "0-0\n";
    }
    Started watcher;
    const TrainResult result = run(o, watcher, false);
    EXPECT_EQ(watcher.part("working memory"), result.peak_bytes) << variant;
    EXPECT_GT(result.peak_bytes, 0u);
  }
}

// The validation set may have larger batches than the training set.
TEST_F(Memory, ValidationCounts) {
  TrainOptions o = options("valid");
  o.train_sets = {folder_ + "/few_a", folder_ + "/few_b"};
  write_toy_corpus(o.train_sets[0], o.train_sets[1], 3);
  o.batch_tokens = 2000;
  o.max_updates = 3;
  o.valid_every = "2";
  Started watcher;
  const TrainResult result = run(o, watcher, false);
  EXPECT_EQ(watcher.part("working memory"), result.peak_bytes);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
size_t status_of(const std::string& key) {  // bytes
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (size_t kib = 0; word == key && status >> kib) return kib << 10;
  return 0;
}

// Memory reported before training, and the process's actual increase.
std::vector<double> announced_and_taken(const std::function<TrainStart()>& training) {
  const ChildResult child = in_child_process([&] {
    std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the current value
    const size_t before = status_of("VmRSS:");
    const size_t announced = training().memory.total();
    return cat(announced >> 10, " ", (status_of("VmHWM:") - before) >> 10);
  });
  EXPECT_TRUE(child.value) << child.end;
  std::istringstream in(child.value.value_or(""));
  double announced = 0, taken = 0;
  in >> announced >> taken;
  return {announced / 1024, taken / 1024};
}

// Shuffling and planning take memory: plans grow with how often each pair is drawn.
TEST_F(Memory, PairsThatAreDrawnManyTimesAreAnnounced) {
  const auto measured = [&](double weight, double alpha) {
    TrainOptions o = options(cat("weight ", weight, alpha));
    write_corpus(1000);
    o.valid_sets.clear();
    o.text.train_weights = {weight};
    o.text.subword_alpha = alpha;
    o.max_updates = 2;
    Started watcher;
    return announced_and_taken([&] {
      run(o, watcher, false);
      return watcher.start;
    });
  };
  for (const double alpha : {0.0, 0.2}) {
    const std::vector<double> once = measured(1, alpha), often = measured(1000, alpha);
    EXPECT_LE(often[1] - once[1], often[0] - once[0] + 3) << "MiB, subword-alpha " << alpha;
    EXPECT_LE(often[0] - once[0], 2 * (often[1] - once[1]) + 3) << "MiB, subword-alpha " << alpha;
  }
}

// A wide beam over long lines takes far more memory than a training step.
TEST_F(Memory, TranslatingTheValidationSetsStaysWithinTheAnnouncement) {
  for (const int64_t beam : {1, 64}) {
    TrainOptions o = options(cat("beam ", beam));
    write_toy_corpus(folder_ + "/long_a", folder_ + "/long_b", 80, 100, 200);
    o.valid_sets = {folder_ + "/long_a", folder_ + "/long_b"};
    o.valid_beam = beam;
    o.max_updates = 3;
    o.valid_every = "3";
    o.threads = 2;
    Started watcher;
    const std::vector<double> mebibytes = announced_and_taken([&] {
      run(o, watcher, false);
      return watcher.start;
    });
    EXPECT_LE(mebibytes[1], mebibytes[0] + 30) << "beam " << beam;
    EXPECT_GE(1.3 * (mebibytes[1] + 30), mebibytes[0]) << "beam " << beam;
  }
}
#endif

TEST_F(Memory, AWideBeamIsAnnounced) {
  TrainOptions o = options("wide");
  o.max_updates = 1;
  Started one, wide;
  run(o, one, false);
  o.model += "2";
  o.valid_beam = 300;
  run(o, wide, false);
  EXPECT_EQ(one.part("translating"), 0u) << "it has room in what a step takes";
  EXPECT_GT(wide.part("translating"), one.part("working memory"));
  EXPECT_GE(wide.start.memory.total(), one.start.memory.total() + wide.part("translating"));
}

// In every epoch: the plan reports the largest batch by tokens, others may need more.
TEST_F(Memory, TheArenaHasRoomForEveryBatchThatMayCome) {
  for (const int64_t batch_tokens : {64, 500, 5000}) {
    TrainOptions o = options(cat("room ", batch_tokens));
    write_toy_corpus(folder_ + "/a", folder_ + "/b", 200, 1, 9);
    o.batch_tokens = batch_tokens;
    const TrainingData data = prepare_data(o);
    model::Transformer model(with_vocabularies(o.architecture, data.pairs));
    const model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
    UpdateStream stream(data, o);
    const MemoryPlan plan = plan_memory(model, parameters, data, o, stream);
    const size_t room = arena_bytes(model, parameters, data, o, plan);
    while (stream.epochs() < 4) {
      const data::Batch& batch = stream.draw().shards.front().batches.front();
      ASSERT_LE(capacity_for(step_memory(model, batch)), room);
    }
    EXPECT_LT(room, size_t{64} << 20) << "as much as the machine has?";
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Under a limit on address space, a batch cannot be measured in one piece.
TEST(MemoryPlan, WhereThereIsNoRoomToTryABatchItsHalfTells) {
  model::Config c;
  c.source_vocab = c.target_vocab = 50;
  c.resolve();
  model::Transformer model(c);
  const model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  const data::Batch batch = made_up(std::vector<std::pair<int64_t, int64_t>>(20, {100, 90}));
  const size_t needed = step_memory(model, batch);
  ASSERT_GT(needed, size_t{128} << 20);
  const ChildResult found = in_child_process([&] {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * 4096 + (rlim_t{40} << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    return cat(step_memory(model, batch));
  });
  ASSERT_TRUE(found.value) << found.end;
  EXPECT_GE(std::stoull(*found.value), needed);
  EXPECT_LT(std::stoull(*found.value), needed / 2 * 3);
}
#endif

TEST_F(Memory, PartsAddUp) {
  TrainOptions o = options("parts");
  o.max_updates = 1;
  Started watcher;
  run(o, watcher, false);
  const TrainStart& s = watcher.start;
  EXPECT_EQ(watcher.part("weights"), watcher.part("gradients"));
  EXPECT_EQ(watcher.part("moments"), 2 * watcher.part("weights"));
  EXPECT_GE(watcher.part("weights"), static_cast<size_t>(s.parameters) * 4);
  EXPECT_GT(watcher.part("data"), 60u * 8);
  int64_t parameters = 0;
  for (const auto& part : s.parts) parameters += part.second;
  EXPECT_EQ(parameters, s.parameters);
  EXPECT_THAT(s.memory.text(), AllOf(HasSubstr("weights 1 MiB"), HasSubstr("together ")));
}

TEST_F(Memory, WhatDoesNotFitIsRefusedWithTheNumberToChange) {
  TrainOptions o = options("large");
  o.architecture.d_model = 256;
  o.architecture.d_ff = 1024;
  write_corpus(4000);
  o.batch_tokens = 20'000;
  o.valid_sets.clear();
  o.memory = 64;
  const std::string message = what_of<UsageError>([&] { run(o); });
  EXPECT_THAT(message, AllOf(HasSubstr("training needs "), HasSubstr("but may use 64 MiB"),
                             HasSubstr("lower `batch-tokens` from 20000 to "), HasSubstr("raise `memory` 64")));
  const size_t at = message.find(" to ", message.find("`batch-tokens` from")) + 4;
  o.batch_tokens = std::stoll(message.substr(at));  // the advice is right: it fits, and much more does not
  o.max_updates = 1;
  EXPECT_EQ(run(o).updates, 1);
  o.model += "2";
  o.batch_tokens += 1024;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("lower `batch-tokens`"));
  o.memory = 1;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }), HasSubstr("no batch is small enough: raise `memory` 1"));
}

TEST_F(Memory, AutoTakesTheLargestBatchAndARunKeepsIt) {
  TrainOptions o = options("auto");
  o.architecture.d_model = 256;
  o.architecture.d_ff = 1024;
  write_corpus(4000);
  o.valid_sets.clear();
  o.batch_tokens = 0;
  o.memory = 64;
  o.max_updates = 2;
  Started first, second;
  run(o, first, false);
  EXPECT_GT(first.start.batch_tokens, 64);
  EXPECT_LT(first.start.batch_tokens, 20'000);
  EXPECT_LE(first.start.memory.total(), size_t{64} << 20);
  o.memory = 128;  // a larger batch would fit now, but a run keeps its batch size
  o.max_updates = 3;
  run(o, second, false);
  EXPECT_EQ(second.start.resumed_at, 2);
  EXPECT_EQ(second.start.batch_tokens, first.start.batch_tokens);
  o.model += "2";
  o.memory = 1;
  EXPECT_THAT(what_of<UsageError>([&] { run(o); }),
              HasSubstr("`batch-tokens` auto: not even 64 tokens fit into 1 MiB; raise `memory` 1"));
}

TEST(MemoryPlan, TheLargestThatFits) {
  const auto bytes = [](int64_t n) { return static_cast<size_t>(10 * n); };
  EXPECT_EQ(largest_that_fits(100, 55, bytes), 5);
  EXPECT_EQ(largest_that_fits(100, 9, bytes), 0);
  EXPECT_EQ(largest_that_fits(100, 1000, bytes), 100);
  EXPECT_EQ(largest_that_fits(100, 999, bytes), 99);
  EXPECT_EQ(largest_that_fits(1, 10, bytes), 1);
}

TEST(MemoryPlan, ADryRunNeedsOnlyTheLengths) {
  model::Config c;
  c.source_vocab = c.target_vocab = 50;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 16;
  c.d_ff = 32;
  c.heads = 2;
  c.resolve();
  model::Transformer model(c);
  model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  data::Batch real = made_up({{7, 5}, {3, 9}});
  for (size_t i = 0; i < real.source.size(); ++i) real.source[i] = static_cast<int32_t>(i % 50);
  EXPECT_EQ(step_memory(model, real), step_memory(model, made_up({{7, 5}, {3, 9}})));
  EXPECT_LT(step_memory(model, real), step_memory(model, made_up({{7, 5}, {3, 9}, {9, 9}})));
  EXPECT_LT(loss_memory(model, real), step_memory(model, real));
}

TEST(MemoryPlan, ALimitIsWhatIsGivenOrAShareOfTheMachine) {
  EXPECT_EQ(memory_limit(3), size_t{3} << 20);
  EXPECT_EQ(memory_limit(0), usable_memory() / 5 * 4);
}

struct Spoken : TrainWatcher {
  void note(const std::string& text) override { notes += text + "\n"; }
  std::string notes;
};

TEST_F(Memory, TensorBoardEventsThatCannotBeWrittenCostANoteNotTheRun) {
  TrainOptions o = options("events");
  o.max_updates = 10;
  Spoken spoken;
  TensorBoardWatcher events(folder_ + "/nowhere", spoken), good(folder_, spoken);
  Watchers all({&spoken, &events, &good});
  EXPECT_EQ(run(o, all, false).end, TrainEnd::finished);
  EXPECT_THAT(spoken.notes, AllOf(HasSubstr("no more TensorBoard events will be written: cannot write"),
                                  HasSubstr("nowhere/events.out.tfevents.")));
  EXPECT_EQ(spoken.notes.find("events", spoken.notes.find("tfevents") + 10), std::string::npos) << spoken.notes;
  size_t files = 0;
  for (const auto& e : std::filesystem::directory_iterator(folder_))
    files += e.path().filename().string().rfind("events.out.tfevents.", 0) == 0;
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace hexapla::train
