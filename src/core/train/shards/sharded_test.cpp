// Runs of several processes, simulated by threads: whole trainings, and sums.
#include "train/shards/sharded.h"

#include <gmock/gmock.h>

#include "base/compute/parallel.h"
#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "train/cluster/test_threads.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

using cluster::test::in_threads;
using cluster::test::ThreadProcess;
using testing::HasSubstr;

class ShardedRuns : public Training {
 protected:
  // Uses everything that processes divide: accumulation, moving average, validation, shuffling on
  // disk.
  TrainOptions sharded(const std::string& run, int64_t shards = 4) const {
    TrainOptions o = options(run);
    o.accumulate = 5;
    o.shards = shards;
    o.batch_tokens = 40;
    o.max_updates = 12;
    o.save_every = "4";
    o.valid_every = "4";
    o.ema = 0.9;
    o.clip_norm = 1;
    o.weight_decay = 0.01;
    o.average_last = 2;
    o.text.shuffle_memory = 1;
    o.freeze = "encoder.layers.0.feed_forward";
    return o;
  }
  using Change = std::function<void(int process, TrainOptions&)>;
  void run_among(int processes, int threads, const TrainOptions& o, const Change& change = {}) const {
    in_threads(processes, [&](ThreadProcess& p) {
      TrainOptions own = o;
      own.threads = threads;
      if (change) change(p.number(), own);
      TrainWatcher silent;
      const auto backend = make_backend();
      train(own,
            prepare_data(
                own, [](const char*, int64_t) {}, {}, p),
            *backend, silent, false);
    });
  }
  void expect_same(const TrainOptions& a, const TrainOptions& b) const {
    EXPECT_TRUE(same_model(a, b)) << b.model;
    EXPECT_EQ(log_of(a), log_of(b));
    EXPECT_EQ(validations_of(a), validations_of(b));
    const auto tensors = [](const TrainOptions& o) {
      return read_file(o.model + "/checkpoints/update-00000012/tensors.safetensors");
    };
    EXPECT_TRUE(tensors(a) == tensors(b)) << b.model;
  }
};

TEST_F(ShardedRuns, HaveTheSameBytesForAnyNumberOfProcesses) {
  const TrainOptions one = sharded("one");
  run_among(1, 1, one);
  for (const auto& [processes, threads] : {std::pair{2, 1}, {2, 2}, {3, 2}, {4, 1}}) {
    for (const char* overlap : {"on", "off"}) {
      TrainOptions o = sharded(cat("run-", processes, "x", threads, "-", overlap));
      o.overlap = o.overlap.parse("overlap", overlap);
      run_among(processes, threads, o);
      expect_same(one, o);
    }
  }
}

// Overlap auto turns on: the threads of these tests report different hosts.
TEST_F(ShardedRuns, OfLayersThatAreAddedUpOneByOneHaveTheSameBytes) {
  const auto deep = [&](const std::string& name) {
    TrainOptions o = sharded(name);
    o.architecture.enc_layers = o.architecture.dec_layers = 3;
    o.architecture.dropout = 0.1;
    return o;
  };
  const TrainOptions one = deep("one"), two = deep("two"), four = deep("four");
  run_among(1, 1, one);
  run_among(2, 2, two);
  run_among(4, 1, four);
  expect_same(one, two);
  expect_same(one, four);
}

TEST_F(ShardedRuns, GoOnWithAnotherNumberOfProcesses) {
  TrainOptions whole = sharded("whole", 3), broken = sharded("broken", 3);
  whole.final_model = broken.final_model = "mean";  // the best one records where its own session was to end
  run_among(1, 1, whole);
  int64_t updates = 0;
  for (const int processes : {3, 1, 2}) {
    TrainOptions part = broken;
    part.max_updates = updates += 4;
    run_among(processes, 1, part);
  }
  expect_same(whole, broken);
}

TEST_F(ShardedRuns, AreOtherRunsThanThoseOfOneShard) {
  const TrainOptions o = sharded("run");
  run_among(2, 1, o);
  TrainOptions other = o;
  other.shards = 1;
  EXPECT_THAT(what_of<UsageError>([&] { run(other); }), HasSubstr("shards was 4, now it is not set"));
  EXPECT_THAT(model::load_model(o.model + "/model.safetensors").history.at("options"), HasSubstr("\"shards\":4"));
}

TEST_F(ShardedRuns, AreRefusedWithARemedy) {
  const auto message = [&](int processes, const auto& change) {
    TrainOptions o = sharded("refused");
    change(o);
    return what_of<UsageError>([&] { run_among(processes, 1, o); });
  };
  EXPECT_THAT(message(2, [](auto& o) { o.shards = 1; }),
              HasSubstr("there are 2 processes, but `shards` is 1: each computes one or more; give `shards` 2"));
  EXPECT_THAT(message(1, [](auto& o) { o.shards = 6; }),
              HasSubstr("`shards` is 6, but an update has only 5 batches (`accumulate`): give `accumulate` 6"));
  EXPECT_THAT(message(1, [](auto& o) { o.architecture.norm = "batch"; }), HasSubstr("does not go with `norm` batch"));
}

TEST_F(ShardedRuns, ThatDisagreeStopBeforeTheyTrain) {
  const auto message = [&](const Change& change) {
    return what_of<UsageError>([&] { run_among(2, 1, sharded("apart"), change); });
  };
  EXPECT_THAT(message([](int p, TrainOptions& o) { o.seed += static_cast<uint64_t>(p); }),
              HasSubstr("process 2 of 2 (thread-1) has another run than process 1 of 2 (thread-0): seed was 1, now it "
                        "is 2"));
  EXPECT_THAT(message([](int p, TrainOptions& o) { o.lr *= 1 + p; }), HasSubstr("lr 0.003 -> 0.006"));
  const std::string other = folder_ + "/other";
  std::ofstream(other) << read_file(folder_ + "/a") + "und noch ein Hund\n";
  std::ofstream(other + ".b") << read_file(folder_ + "/b") + "and one more dog\n";
  EXPECT_THAT(message([&](int p, TrainOptions& o) {
                if (p == 1) o.train_sets = {other, other + ".b"};
              }),
              HasSubstr("process 2 of 2 (thread-1) has other parts of the text than process 1 of 2 (thread-0)"));
  EXPECT_THAT(message([](int p, TrainOptions& o) { o.shards += p; }),
              HasSubstr(": 4 -> 5; give all processes the same"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/apart/checkpoints"));
}

// Corrupts one bit of long messages: of partial sums for everyone, of others' parameters for this
// process.
class BadLink final : public cluster::Processes {
 public:
  explicit BadLink(ThreadProcess& good) : good_(good) {}
  int number() const override { return good_.number(); }
  int count() const override { return good_.count(); }
  std::string host() const override { return good_.host(); }
  void exchange(std::span<const cluster::Outgoing> out, std::span<const cluster::Incoming> in) override {
    good_.exchange(out, in);
    const bool slices = !in.empty() && !out.empty() && std::min(in.back().size, out.back().size) > 20'000;
    if (number() == 1 && slices) static_cast<char*>(in.back().bytes)[0] ^= 1;
  }

 private:
  ThreadProcess& good_;
};

TEST_F(ShardedRuns, WhoseWeightsDifferStopBeforeTheySaveThem) {
  TrainOptions o = sharded("lost", 2);
  o.precision = "f32";
  const std::string message = what_of<UsageError>([&] {
    in_threads(2, [&](ThreadProcess& p) {
      BadLink link(p);
      TrainWatcher silent;
      const auto backend = make_backend();
      const auto quiet = [](const char*, int64_t) {};
      train(o, prepare_data(o, quiet, {}, link), *backend, silent, false);
    });
  });
  EXPECT_THAT(message, HasSubstr("process 2 of 2 (thread-1) has other weights after update 4 than process 1 of 2"));
  EXPECT_FALSE(std::filesystem::exists(o.model + "/checkpoints/update-00000004"));
}

// Traffic of an update: for the sum, and for the parameters.
TEST(Sharded, SendsWhatIsComputed) {
  constexpr int64_t numbers = 16 * 6144;  // blocks that divide evenly among all of these
  for (const int processes : {2, 3, 4}) {
    in_threads(processes, [&](ThreadProcess& p) {
      Sharded sharded(p, processes, numbers);
      std::vector<float> gradients(numbers, 1);
      const Tensor slab = Tensor::of(gradients.data(), {numbers});
      sharded.add(slab, {});
      const size_t before = p.sent();
      sharded.sum(slab);
      ASSERT_EQ(sharded.slice(numbers).size(), 1u);
      const size_t slice = static_cast<size_t>(sharded.slice(numbers).front().size()) * sizeof(float);
      const size_t losses = sizeof(model::LossSums) * static_cast<size_t>(processes - 1);
      EXPECT_EQ(p.sent() - before, numbers * sizeof(float) - slice + losses);
      size_t sent = numbers * sizeof(float) - slice + losses + slice * static_cast<size_t>(processes - 1);
      sharded.complete(slab);
      EXPECT_EQ(p.sent() - before, sent);
      const std::vector<cluster::Share> matrices{{0, numbers}};
      sharded.complete_rounded(slab, matrices);  // half of the bytes
      EXPECT_EQ(p.sent() - before, sent += slice / 2 * static_cast<size_t>(processes - 1));
    });
  }
}

TEST(Sharded, TakesTheMemoryThatIsPlanned) {
  constexpr int64_t numbers = 1 << 20;
  constexpr size_t slab = numbers * sizeof(float);
  const std::vector<int64_t> starts{numbers / 4, numbers / 2};
  const auto memory = [&](int64_t shards, int process, int of) {
    return shard_memory(cluster::Slices(numbers, of, starts), shards, process);
  };
  const ShardMemory one = memory(1, 0, 1), alone = memory(4, 0, 1), half = memory(4, 1, 2), quarter = memory(4, 3, 4);
  EXPECT_EQ(one.moments, 2 * slab);
  EXPECT_EQ(one.sums + one.exchange, 0u);
  EXPECT_EQ(alone.sums, 2 * slab);
  EXPECT_EQ(half.moments, slab);
  EXPECT_EQ(half.sums, slab);
  EXPECT_EQ(quarter.moments, slab / 2);
  EXPECT_EQ(quarter.average, slab / 4);
  EXPECT_EQ(quarter.sums, 0u);
  EXPECT_EQ(half.exchange, sizeof(float) << 17) << "one node of the other process";
  EXPECT_EQ(quarter.exchange, 3 * (sizeof(float) << 17)) << "the largest segment has a share of 2^17 numbers";
}

}  // namespace
}  // namespace hexapla::train
