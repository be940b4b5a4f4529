#include "train/scale/simulation.h"

#include <gmock/gmock.h>

#include <cmath>

namespace hexapla::train::scale {
namespace {

using testing::DoubleNear;
using testing::Gt;
using testing::Lt;

// A step of 300 ms and a million parameters.
Work work_of(std::vector<double> steps = {0.3}) {
  Work w;
  w.numbers = 1 << 20;
  w.tokens = 1000;
  w.steps = std::move(steps);
  w.add = 1e-9;
  w.optimize = 4e-9;
  return w;
}

// Four segments whose gradients are final after 1/2, 2/3, 5/6 and all of a step.
Work in_quarters(Work w) {
  w.starts = {w.numbers / 4, w.numbers / 2, w.numbers / 4 * 3};
  w.finals = {1, 5.0 / 6, 4.0 / 6, 3.0 / 6};
  return w;
}

constexpr Network kFreeLinks{0, 0, 0}, kLinks{1e-5, 1e-6, 1e-9};

TEST(Simulation, OfOneProcessIsTheStepAndAdam) {
  const Predicted t = simulate(work_of(), kLinks, 1);
  EXPECT_EQ(t.step, 0.3);
  EXPECT_DOUBLE_EQ(t.total(), 0.3 + (1 << 20) * 4e-9);
  EXPECT_EQ(efficiency(work_of(), kLinks, 1), 1);
}

// Four processes exchange slices of 2^18 values with three others in two rounds.
TEST(Simulation, OfFourIsTheSumOfItsMessages) {
  const Predicted t = simulate(work_of(), kLinks, 4);
  const double slice = 1 << 18, words = 1e-5 + 3e-6;
  EXPECT_DOUBLE_EQ(t.wait, 0);
  EXPECT_NEAR(t.sum, 2 * (1e-5 + 3e-6) + 3 * slice * (4e-9 + 1e-9) + 2 * words + 3 * (48 + 56) * 1e-9, 1e-12);
  EXPECT_NEAR(t.optimize, slice * 4e-9 + words + 3 * 2048 * 1e-9, 1e-12);
  EXPECT_NEAR(t.gather, 1e-5 + 3e-6 + 3 * slice * 4e-9, 1e-12);
}

// Two processes, each with 2^19 values in two rounds; the second one's are matrices, at half the
// bytes.
TEST(Simulation, GathersInBf16) {
  Work w = work_of();
  w.rounded = {{1 << 19, 1 << 20}};
  w.round = 1e-10;
  const double round = 1e-5 + 1e-6, slice = 1 << 19;
  EXPECT_NEAR(simulate(w, kLinks, 2).gather, 2 * round + 4 * slice * 1e-9 + slice * 1e-10, 1e-12) << "who sends more";
  w.rounded = {{0, 1 << 20}};
  EXPECT_NEAR(simulate(w, kLinks, 2).gather, 2 * round + 2 * slice * 1e-9 + 2 * slice * 1e-10, 1e-12);
  EXPECT_NEAR(simulate(w, kLinks, 4).gather, 1e-5 + 3e-6 + 3 * slice / 2 * 2e-9 + 2 * slice * 1e-10, 1e-12);
}

TEST(Simulation, WithFreeLinksLosesOnlyAdditions) {
  Work w = work_of();
  w.add = 0;
  for (const int p : {2, 8, 1024}) EXPECT_GE(efficiency(w, kFreeLinks, p), 1) << "Adam's work is divided";
}

TEST(Simulation, WaitsForTheSlowestOfAll) {
  EXPECT_EQ(mean_of_largest({3, 1, 2}, 1), 2);
  EXPECT_DOUBLE_EQ(mean_of_largest({0, 1}, 2), 0.75);  // 0 only if both are
  EXPECT_NEAR(mean_of_largest({0, 1}, 1000), 1, 1e-12);
  std::vector<double> uniform;
  for (int i = 0; i < 10000; ++i) uniform.push_back((i + 0.5) / 10000);
  for (const int n : {1, 2, 9}) EXPECT_NEAR(mean_of_largest(uniform, n), n / (n + 1.0), 1e-4) << n;
  EXPECT_DOUBLE_EQ(simulate(work_of({0.2, 0.4}), kLinks, 2).wait, 0.05);
}

// A sum shorter than the backward pass leaves only its last part, a longer one most of itself.
TEST(Simulation, OverlapsSumsWithTheBackwardPass) {
  Network slow = kFreeLinks;
  const double whole = 0.06, words = 0;  // for 2^20 values in two processes
  slow.per_byte = whole / (4.0 * (1 << 19));
  Work w = work_of();
  w.add = 0;
  EXPECT_NEAR(simulate(w, slow, 2).sum, whole, 1e-4 + words);
  w = in_quarters(w);
  EXPECT_NEAR(simulate(w, slow, 2).sum, whole, 1e-4 + words);
  EXPECT_NEAR(simulate(w, slow, 2, Sums::beside_step).sum, whole / 4, 1e-4) << "the last of four parts";
  slow.processor_per_byte = slow.per_byte / 2;  // core time for three quarters of 60 ms
  EXPECT_NEAR(simulate(w, slow, 2, Sums::beside_step).sum, 0.0225 + 0.015, 1e-4);
  w.threads = 2;
  EXPECT_NEAR(simulate(w, slow, 2, Sums::beside_step).sum, 0.0225 / 2 + 0.015, 1e-4);
  slow.processor_per_byte = 0;
  slow.per_byte *= 20;  // 1.2 s against 0.15 s of the step
  EXPECT_NEAR(simulate(w, slow, 2, Sums::beside_step).sum, 1.2 - 0.15, 1e-2);
}

TEST(Simulation, GetsWorseWithMoreAndBetterWithFasterLinks) {
  double before = 2, tokens_before = 0;
  for (int p = 2; p <= 1024; p *= 2) {
    const double e = efficiency(work_of({0.29, 0.3, 0.31}), kLinks, p), tokens = tokens_for(0.8, work_of(), kLinks, p);
    EXPECT_THAT(e, Lt(before)) << p;
    EXPECT_THAT(tokens, Gt(tokens_before)) << p;
    Network faster = kLinks;
    faster.per_byte /= 2;
    EXPECT_THAT(efficiency(work_of({0.29, 0.3, 0.31}), faster, p), Gt(e)) << p;
    EXPECT_GE(efficiency(in_quarters(work_of({0.29, 0.3, 0.31})), kLinks, p, Sums::beside_step), e - 0.05) << p;
    before = e, tokens_before = tokens;
  }
}

TEST(Simulation, FindsTheFewestTokensAndTheSlowestLink) {
  const double tokens = tokens_for(0.9, work_of(), kLinks, 16), bandwidth = bandwidth_for(0.9, work_of(), kLinks, 16);
  EXPECT_THAT(efficiency(with_tokens(work_of(), tokens), kLinks, 16), testing::AllOf(Gt(0.8999), Lt(0.903)));
  Network just = kLinks;
  just.per_byte = 1 / bandwidth;
  EXPECT_THAT(efficiency(work_of(), just, 16), testing::AllOf(Gt(0.8999), Lt(0.903)));
  EXPECT_EQ(tokens_for(1, work_of({0.1, 0.5}), kLinks, 1024), 0) << "somebody is always late";
  EXPECT_EQ(bandwidth_for(0.9, work_of(), {1, 0, 0}, 16), 0) << "latency alone is too much";
}

TEST(Simulation, SpreadsLessWithMoreTokens) {
  const Work four = with_tokens(work_of({0.2, 0.4}), 4000);
  EXPECT_THAT(four.steps[0], DoubleNear(1.0, 1e-12));
  EXPECT_THAT(four.steps[1], DoubleNear(1.4, 1e-12));
  EXPECT_EQ(four.tokens, 4000);
}

}  // namespace
}  // namespace hexapla::train::scale
