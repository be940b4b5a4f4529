// Training calls no malloc after the first step: each step uses only the arena and the slabs.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "backend/cpu/cpu.h"
#include "base/compute/parallel.h"
#include "base/system/test_allocations.h"
#include "model/transformer.h"
#include "train/loop/optimizer.h"
#include "train/shards/sharded.h"

namespace {
std::atomic<int64_t> allocations{0};
}

#ifdef HEXAPLA_SEES_ALLOCATIONS
void hexapla::before_allocation() { ++allocations; }
#endif

namespace hexapla {
namespace {

TEST(Malloc, NoneAfterTheFirstStep) {
#ifndef HEXAPLA_SEES_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer has the allocator";
#endif
  use_threads(2);
  train::TrainOptions options;
  model::Config& c = options.architecture;
  c = model::Config::preset("tiny");
  c.source_vocab = c.target_vocab = 500;
  c.attention_dropout = 0.1;
  c.resolve();
  model::Transformer model(c);
  model::Parameters parameters(model, DType::f32, model::Parameters::Use::training);
  model::initialize(model, 1);
  train::Optimizer optimizer(model, parameters, options);
  train::OneProcess alone;
  auto backend = make_cpu_backend();
  Arena arena(size_t{1} << 30);
  Context cx{*backend, arena};
  cx.training = true;
  model::Transformer::Saved saved;

  const std::vector<int32_t> offsets{0, 9, 40, 70};
  std::vector<int32_t> ids(70);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(3 + i * 7 % 490);
  const model::BatchView batch{ids, ids, ids, offsets, offsets};
  auto step = [&](int64_t n) {
    cx.step = static_cast<uint32_t>(n);
    backend->fill(parameters.gradients(), 0);
    const model::LossSums sums = model.loss_and_gradient(cx, batch, 0.1, 1.0 / 70, saved);
    arena.clear();
    optimizer.update(cx, n, 1, optimizer.gradient_norm(cx, alone));
    return sums.loss;
  };
  const double first = step(1);
  const int64_t before = allocations;
  ASSERT_GT(before, 0) << "the counter does not count";
  double last = 0;
  for (int64_t n = 2; n <= 6; ++n) last = step(n);
  EXPECT_EQ(allocations - before, 0);
  EXPECT_NE(first, last);
}

// One of two processes; the other one sends only zeros.
class OneOfTwo final : public train::cluster::Processes {
 public:
  int number() const override { return 1; }
  int count() const override { return 2; }
  std::string host() const override { return ""; }
  void exchange(std::span<const train::cluster::Outgoing>, std::span<const train::cluster::Incoming>) override {}
};

// The additional work with several processes: summing, agreeing on a norm and exchanging updates.
TEST(Malloc, NoneAfterTheFirstUpdateOfSeveralProcesses) {
#ifndef HEXAPLA_SEES_ALLOCATIONS
  GTEST_SKIP() << "the sanitizer has the allocator";
#endif
  use_threads(2);
  constexpr int64_t numbers = 1 << 20;
  OneOfTwo process;
  const train::LayerSegments segments{{numbers / 4, numbers / 2}, 1};
  train::Sharded sharded(process, 6, numbers, segments, train::Overlap::on);
  std::vector<float> gradients(numbers, 1), values(numbers, 1);
  const Tensor slab = Tensor::of(gradients.data(), {numbers});
  const std::vector<train::cluster::Share> rounded{{64, 1000}, {numbers / 2, numbers - 64}};
  auto backend = make_cpu_backend();
  Arena arena(1 << 20);
  Context cx{*backend, arena};
  int64_t before = 0;
  for (int update = 0; update < 4; ++update) {
    if (update == 1) before = allocations;
    for (int shard = 0; shard < 3; ++shard) {
      if (shard == 2) {
        GradientListener* const listener = sharded.last_backward(slab);
        ASSERT_TRUE(listener);
        listener->final_from(GradientListener::Stack::decoder, 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // lets the thread do some or all of its work
        listener->final_from(GradientListener::Stack::encoder, 0);
      }
      sharded.add(slab, {.loss = 1});
    }
    EXPECT_EQ(sharded.sum(slab).loss, 3);
    sharded.sum_of_squares(cx, slab);
    sharded.complete_rounded(Tensor::of(values.data(), {numbers}), rounded);
    sharded.complete(Tensor::of(values.data(), {numbers}));
  }
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace hexapla
