// Tests hexapla/nn.h at the limits of its ranges and with non-finite numbers.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "lib/nn/test_nn.h"

namespace hexapla::api {
namespace {

using namespace test;  // shared by tests of this folder
using nn::Tensor;
using nn::Workspace;
using testing::Each;
using testing::HasSubstr;

TEST(NnLimits, WeightsOfNoSentenceAreRefused) {
  const nn::MultiHeadAttention attention(kSmall);
  Workspace work;
  const Tensor x = put(work, random_matrix(10, 6, 1));
  attention.forward(work, {x, x, x, test::kRows, test::kRows, true, {}});
  constexpr std::size_t last = std::numeric_limits<std::size_t>::max();
  for (const std::size_t none : {std::size_t{3}, last / 2, last - 1, last})
    EXPECT_THROW(attention.weights(work, none), UsageError) << none;
}

TEST(NnLimits, AWorkspaceOfMoreThanThereAreAddressesIsRefused) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t less : {0, 1, 62, 63, 64, 4096, 2 << 20, 4 << 20, 8 << 20})
    EXPECT_THROW(Workspace work(most - less), RunError) << less;
  EXPECT_THROW(Workspace work(most / 2), RunError);
  EXPECT_THROW(Workspace work(most / 2 + 1), RunError);
  EXPECT_NO_THROW(Workspace work(0));
}

// Repeated refusals do not add up, either.
TEST(NnLimits, WhatAWorkspaceRefusesTakesNothingOfIt) {
  Workspace work(1 << 20);
  const nn::Linear layer(1, 1 << 22);
  const Tensor x = work.zeros(100, 1);
  const std::size_t before = work.bytes_in_use();
  for (int i = 0; i < 2000; ++i) {
    EXPECT_THROW(work.zeros(std::int64_t{1} << 31, 1 << 22), RunError);
    EXPECT_THROW(layer.forward(work, x), RunError);
  }
  EXPECT_EQ(work.bytes_in_use(), before);
  EXPECT_TRUE(work.zeros(10, 10));
}

TEST(NnLimits, AFullWorkspaceSaysSoAndCanBeUsedAgain) {
  const nn::Encoder encoder(kSmall);
  Workspace work(1 << 20);
  try {
    encoder.forward(work, work.zeros(10000, 6), {0, 10000});
    FAIL() << "it was not full";
  } catch (const RunError& e) {
    EXPECT_THAT(e.what(), HasSubstr("the workspace of 1 MiB is full; make a larger one"));
  }
  work.begin();
  EXPECT_EQ(work.bytes_in_use(), 0u);
  EXPECT_EQ(encoder.forward(work, work.zeros(10, 6), test::kRows).rows(), 10);
  EXPECT_GT(work.bytes_in_use(), 10u * 6 * 4);
  EXPECT_THROW(Workspace(size_t{1} << 60), RunError);
}

// A batch with a non-finite number does not affect learning.
TEST(NnLimits, AGradientThatIsNotFiniteChangesNothing) {
  const auto learned = [](const std::vector<float>& spoiled, bool batch_norm) {
    Options shape = kSmall;
    if (batch_norm) shape.insert({"norm", "batch"});
    nn::Encoder encoder(shape);
    nn::Adam adam({&encoder});
    Workspace work;
    const auto step = [&](float first) {
      work.begin_training(1, 1);
      test::Matrix x = random_matrix(10, 6, 1);
      if (first != 0) x.values[0] = first;
      encoder.backward(work, encoder.forward(work, put(work, x), test::kRows));
      return adam.update(work, 0.1);
    };
    for (int i = 0; i < 3; ++i) {
      step(0);
      for (const float bad : spoiled) EXPECT_THROW(step(bad), RunError) << bad;
    }
    EXPECT_THAT(gradients_of(encoder), Each(0));
    work.begin();
    return numbers(encoder.forward(work, put(work, random_matrix(10, 6, 1)), test::kRows));
  };
  for (const bool batch_norm : {false, true})
    EXPECT_EQ(learned({NAN, INFINITY, -INFINITY}, batch_norm), learned({}, batch_norm)) << batch_norm;
}

TEST(NnLimits, WithoutASoftmaxAMaskHidesAndNothingElse) {
  for (const char* score : {"sigmoid", "relu", "unnormalized", "top-4", "linear-kernel"}) {
    Options shape = kSmall;
    shape.insert({"score", score});
    const nn::MultiHeadAttention attention(shape);
    for (const float m : {0.f, -INFINITY, 1.f, -1e9f, INFINITY, NAN}) {
      Workspace work;
      const Tensor x = put(work, random_matrix(10, 6, 1)), mask = work.zeros(10, 5);
      mask.data()[3] = m;
      const nn::AttentionInputs in{x, x, x, test::kRows, test::kRows, false, mask};
      if (m == 0 || m == -INFINITY) {
        EXPECT_EQ(attention.forward(work, in).rows(), 10) << score;
      } else {
        EXPECT_THROW(attention.forward(work, in), UsageError) << score << " " << m;
      }
    }
  }
}

}  // namespace
}  // namespace hexapla::api
