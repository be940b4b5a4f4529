// Sums made-up gradients that become final by segment, in processes simulated by threads.
#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "train/cluster/test_threads.h"
#include "train/shards/sharded.h"

namespace hexapla::train {
namespace {

using cluster::test::in_threads;
using cluster::test::ThreadProcess;
using Stack = GradientListener::Stack;

constexpr int64_t kNumbers = 16 * 6000;
// Embeddings, two encoder layers, the first one large, and three decoder layers, one of them too
// small to divide.
const LayerSegments kSegments{{16 * 500, 16 * 4000, 16 * 4700, 16 * 4701, 16 * 5500}, 2};

// Values of such different magnitudes that every order of summation gives another result.
void compute(int64_t shard, int64_t from, int64_t to, std::vector<float>& gradients) {
  for (int64_t i = from; i < to; ++i) {
    Random random(static_cast<uint64_t>(shard), static_cast<uint64_t>(i));
    gradients[i] = static_cast<float>(std::ldexp(random.normal(), static_cast<int>(random.below(40)) - 20));
  }
}

// From the last segment to the first, like a backward pass.
void compute_last(int64_t shard, std::vector<float>& gradients, GradientListener* listener) {
  int64_t end = kNumbers;
  for (int layer = static_cast<int>(kSegments.starts.size()); layer-- > 0;) {
    const int64_t start = kSegments.starts[layer];
    compute(shard, start, end, gradients);
    end = start;
    if (!listener) continue;
    const int of_decoder = layer - kSegments.encoder_layers;
    listener->final_from(of_decoder < 0 ? Stack::encoder : Stack::decoder, of_decoder < 0 ? layer : of_decoder);
    if (shard % 2) std::this_thread::yield();
  }
  compute(shard, 0, end, gradients);
}

// -> the sum, collected from all processes
std::vector<float> sum_of(int64_t shards, int processes, Overlap overlap, int updates = 2) {
  std::vector<float> whole(kNumbers);
  in_threads(processes, [&](ThreadProcess& p) {
    std::vector<float> gradients(kNumbers);
    Sharded sharded(p, shards, kNumbers, kSegments, overlap);
    const Tensor slab = Tensor::of(gradients.data(), {kNumbers});
    const cluster::Share own = cluster::own_share(p, shards);
    for (int update = 0; update < updates; ++update) {
      for (int64_t shard = own.from; shard < own.to; ++shard) {
        if (shard + 1 < own.to)
          compute(shard, 0, kNumbers, gradients);
        else
          compute_last(shard, gradients, sharded.last_backward(slab));
        sharded.add(slab, {.loss = 1});
      }
      EXPECT_EQ(sharded.sum(slab).loss, static_cast<double>(shards));
    }
    for (const cluster::Share& share : sharded.slice(kNumbers))
      std::copy(gradients.begin() + share.from, gradients.begin() + share.to, whole.begin() + share.from);
  });
  return whole;
}

TEST(SegmentSum, IsTheSameWhileABackwardPassGoesOn) {
  for (const int64_t shards : {4, 5}) {
    const std::vector<float> one = sum_of(shards, 1, Overlap::off);
    for (const int processes : {2, 3, 4})
      for (const Overlap overlap : {Overlap::off, Overlap::on})
        EXPECT_TRUE(one == sum_of(shards, processes, overlap))
            << shards << " shards, " << processes << " processes, overlap " << (overlap == Overlap::on);
  }
}

TEST(SegmentSum, GoesOnWhereABackwardPassSaidNothing) {
  in_threads(2, [&](ThreadProcess& p) {
    Sharded sharded(p, 2, kNumbers, kSegments, Overlap::on);
    for (const bool has_batch : {true, false, true}) {
      std::vector<float> gradients(kNumbers, 1);
      const Tensor slab = Tensor::of(gradients.data(), {kNumbers});
      if (GradientListener* const listener = has_batch || p.first() ? sharded.last_backward(slab) : nullptr)
        listener->final_from(Stack::decoder, 1);
      sharded.add(slab, {});
      sharded.sum(slab);
      for (const cluster::Share& share : sharded.slice(kNumbers))
        for (int64_t i = share.from; i < share.to; ++i) ASSERT_EQ(gradients[i], 2);
    }
  });
}

// Fails in the middle of a backward pass.
class Cut final : public cluster::Processes {
 public:
  int number() const override { return 0; }
  int count() const override { return 2; }
  std::string host() const override { return "here"; }
  void exchange(std::span<const cluster::Outgoing>, std::span<const cluster::Incoming>) override {}
  void exchange_beside(std::span<const cluster::Outgoing>, std::span<const cluster::Incoming>) override {
    cut = true;
    throw RunError("another process cannot be reached any more");
  }
  std::atomic<bool> cut = false;
};

TEST(SegmentSum, SaysWhatWentWrongBesideABackwardPass) {
  Cut process;
  std::vector<float> gradients(kNumbers, 1);
  Sharded sharded(process, 2, kNumbers, kSegments, Overlap::on);
  const Tensor slab = Tensor::of(gradients.data(), {kNumbers});
  sharded.last_backward(slab)->final_from(Stack::decoder, 0);
  while (!process.cut) std::this_thread::yield();
  sharded.add(slab, {});
  EXPECT_EQ(what_of<RunError>([&] { sharded.sum(slab); }), "another process cannot be reached any more");
}

// The thread has begun to sum final gradients, and must stop cleanly.
TEST(SegmentSum, EndsWithABackwardPassThatFailed) {
  EXPECT_EQ(what_of<RunError>([&] {
              in_threads(2, [&](ThreadProcess& p) {
                std::vector<float> gradients(kNumbers, 1);  // outlive the thread, as parameters do
                Sharded sharded(p, 2, kNumbers, kSegments, Overlap::on);
                const Tensor slab = Tensor::of(gradients.data(), {kNumbers});
                sharded.last_backward(slab)->final_from(Stack::decoder, 0);
                if (p.first()) throw RunError("no more memory");
                sharded.add(slab, {});
                sharded.sum(slab);
              });
            }),
            "no more memory");
}

}  // namespace
}  // namespace hexapla::train
