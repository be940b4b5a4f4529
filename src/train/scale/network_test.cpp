#include "train/scale/network.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "train/cluster/test_threads.h"
#include "train/scale/some_processes.h"

namespace hexapla::train::scale {
namespace {

std::vector<MeasuredExchange> exchanges_of(const Network& n) {
  std::vector<MeasuredExchange> all;
  for (const auto& [messages, bytes] :
       {std::pair{1.0, 8.0}, {8.0, 64.0}, {32.0, 256.0}, {1.0, 1e4}, {1.0, 1e6}, {3.0, 8e6}})
    all.push_back({messages, bytes, n.seconds(messages, bytes)});
  return all;
}

TEST(FittedNetwork, IsTheOneThatWasMeasured) {
  for (const Network& n : {Network{2e-5, 3e-6, 8e-10}, {1e-6, 4e-7, 1e-10}, {1e-4, 0, 1e-8}, {0, 1e-6, 1e-9}}) {
    const Network found = fit(exchanges_of(n));
    EXPECT_NEAR(found.latency, n.latency, 1e-4 * n.latency + 1e-12);
    EXPECT_NEAR(found.per_message, n.per_message, 1e-4 * n.per_message + 1e-12);
    EXPECT_NEAR(found.per_byte, n.per_byte, 1e-4 * n.per_byte);
  }
}

TEST(FittedNetwork, HasNothingNegative) {
  std::vector<MeasuredExchange> measured = exchanges_of({1e-5, 1e-6, 1e-9});
  measured[1].seconds = 5e-6;  // several messages that were faster than one
  measured[2].seconds = 6e-6;
  const Network found = fit(measured);
  EXPECT_GE(found.latency, 0);
  EXPECT_GE(found.per_message, 0);
  EXPECT_GT(found.per_byte, 0);
}

TEST(FittedNetwork, NeedsThreeExchanges) {
  EXPECT_THROW(fit(std::vector<MeasuredExchange>{{1, 1, 1}, {1, 2, 2}}), InternalError);
  EXPECT_THROW(fit(std::vector<MeasuredExchange>{{1, 1, 1}, {1, 2, 2}, {1, 2, 0}}), InternalError);
}

TEST(MeasuredExchanges, AreTheSameInAllProcessesThatTakePart) {
  cluster::test::in_threads(3, [](cluster::test::ThreadProcess& p) {
    if (p.number() == 2) return;
    FirstProcesses two(p, 2);
    EXPECT_EQ(two.count(), 2);
    const std::vector<MeasuredExchange> all = measure_exchanges(two);
    ASSERT_GE(all.size(), 3u);
    for (const MeasuredExchange& m : all) {
      EXPECT_GT(m.seconds, 0);
      EXPECT_GE(m.bytes, 8 * m.messages);
      EXPECT_EQ(cluster::of_first(two, std::to_string(m.seconds)), std::to_string(m.seconds));
    }
    const double processor = measure_processor_per_byte(two);
    EXPECT_GT(processor, 0);
    EXPECT_EQ(cluster::of_first(two, std::to_string(processor)), std::to_string(processor));
  });
}

}  // namespace
}  // namespace hexapla::train::scale
