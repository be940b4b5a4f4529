#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "train/cluster/agreement.h"
#include "train/cluster/gathered.h"
#include "train/cluster/rounded.h"
#include "train/cluster/slices.h"
#include "train/cluster/test_threads.h"
#include "train/cluster/tree.h"

namespace hexapla::train::cluster {
namespace {

using test::in_threads;
using test::ThreadProcess;
using testing::ElementsAre;
using testing::HasSubstr;

// Values of such different magnitudes that every order of summation gives another result.
std::vector<float> numbers_of_shard(int64_t shard, int64_t count) {
  Random random(7, static_cast<uint64_t>(shard));
  std::vector<float> all(static_cast<size_t>(count));
  for (float& x : all) x = static_cast<float>(std::ldexp(random.normal(), static_cast<int>(random.below(40)) - 20));
  return all;
}

// The definition: neighbors are added first.
std::vector<float> sum_by_hand(int64_t shards, int64_t count) {
  std::vector<std::vector<float>> all;
  for (int64_t s = 0; s < shards; ++s) all.push_back(numbers_of_shard(s, count));
  for (size_t step = 1; step < all.size(); step *= 2)
    for (size_t k = 0; k + step < all.size(); k += 2 * step)
      for (size_t i = 0; i < all[k].size(); ++i) all[k][i] += all[k + step][i];
  return all[0];
}

TEST(ShardTree, SumsNeighborsFirstWhoeverHasThem) {
  constexpr int64_t count = 100;
  for (int64_t shards = 1; shards <= 13; ++shards) {
    const std::vector<float> expected = sum_by_hand(shards, count);
    const ShardTree tree(shards);
    for (int64_t processes = 1; processes <= shards; ++processes) {
      std::vector<TreeNode> nodes;
      std::deque<std::vector<float>> sums;
      std::vector<float*> arrays;
      for (int64_t p = 0; p < processes; ++p) {
        const Share share = share_of(shards, p, processes);
        for (const TreeNode& node : tree.cover(share.from, share.to)) {
          const int64_t end = std::min(node.first + (int64_t{1} << node.level), shards);
          const ShardTree inner(end - node.first);
          std::deque<std::vector<float>> leaves;
          std::vector<float*> parts;
          std::vector<TreeNode> singles;
          for (int64_t s = node.first; s < end; ++s) {
            leaves.push_back(numbers_of_shard(s, count));
            parts.push_back(leaves.back().data());
            singles.push_back(inner.cover(s - node.first, s - node.first + 1).front());
          }
          const float* sum = inner.sum(singles, parts, count);
          sums.emplace_back(sum, sum + count);
          arrays.push_back(sums.back().data());
          nodes.push_back(node);
        }
      }
      const float* sum = tree.sum(nodes, arrays, count);
      EXPECT_EQ(std::vector<float>(sum, sum + count), expected) << shards << " shards, " << processes << " processes";
    }
  }
}

TEST(ShardTree, SaysWhichShardsAreMissing) {
  const ShardTree tree(4);
  std::vector<float> x(3);
  const std::vector<float*> parts{x.data()};
  EXPECT_THROW(tree.sum(tree.cover(0, 2), parts, 3), InternalError);
  EXPECT_TRUE(tree.cover(2, 2).empty());
}

TEST(ShardTree, NeedsFewArrays) {
  EXPECT_EQ(arrays_to_add_up(ShardTree(1), 0, 1), 0);
  EXPECT_EQ(arrays_to_add_up(ShardTree(4), 0, 4), 2);
  EXPECT_EQ(arrays_to_add_up(ShardTree(4), 2, 4), 1);
  EXPECT_EQ(arrays_to_add_up(ShardTree(8), 3, 4), 0);
  EXPECT_EQ(arrays_to_add_up(ShardTree(1024), 0, 1024), 10);
}

// Shares cover segment after segment and, within each, process after process.
void expect_everything(const Slices& slices) {
  EXPECT_EQ(slices.block() % 16, 0);
  int64_t at = 0, blocks = 0;
  for (int s = 0; s < slices.segments(); ++s) {
    EXPECT_EQ(slices.segment(s).from, at);
    const int64_t largest = slices.largest(s);
    for (int p = 0; p < slices.processes(); ++p) {
      EXPECT_EQ(slices.of(p, s).from, at);
      EXPECT_TRUE(at % slices.block() == 0 || at == slices.numbers());
      EXPECT_LE(slices.of(p, s).size(), largest);
      at = slices.of(p, s).to;
      blocks += slices.blocks_of(p, s).size();
    }
    EXPECT_EQ(slices.segment(s).to, at);
  }
  EXPECT_EQ(at, slices.numbers());
  EXPECT_EQ(blocks, slices.blocks());
}

// A process's shares: all of its segments in order, with sizes that differ from others' by at most
// a block.
void expect_slice(const Slices& slices, int process, int64_t largest) {
  std::vector<Share> shares = slices.of(process), some;
  for (size_t i = 1; i < shares.size(); ++i) EXPECT_LT(shares[i - 1].to, shares[i].from);
  int64_t size = 0;
  for (const Share& share : shares) size += share.size();
  EXPECT_EQ(size, slices.size_of(process));
  EXPECT_LE(size, largest);
  EXPECT_GE(slices.blocks_of(process), slices.blocks() / slices.processes());
  EXPECT_LE(slices.blocks_of(process), slices.blocks() / slices.processes() + 1);
  constexpr int64_t at_once = 1000;
  for (int64_t at = 0; at < largest; at += at_once)
    slices.for_some_of(process, at, at_once, [&](const Share& share) {
      EXPECT_GT(share.size(), 0);
      if (!some.empty() && some.back().to == share.from)
        some.back().to = share.to;
      else
        some.push_back(share);
    });
  ASSERT_EQ(some.size(), shares.size());
  for (size_t i = 0; i < some.size(); ++i) EXPECT_TRUE(some[i].from == shares[i].from && some[i].to == shares[i].to);
}

TEST(Slices, AreWholeBlocksAndEverything) {
  for (const int64_t numbers : {16, 160, 16 * 1024, 16 * 1025, 999'984})
    for (const int of : {1, 2, 3, 7, 64, 1024, 1500})
      for (const std::vector<int64_t>& starts : {std::vector<int64_t>{},
                                                 {0},
                                                 {32, 48, 48, 112},
                                                 {5008, 9008, 9600, 13'024, 16'000},
                                                 {numbers / 32 * 16, numbers}}) {
        SCOPED_TRACE(cat(numbers, " numbers, ", of, " processes, ", starts.size() + 1, " segments"));
        const Slices slices(numbers, of, starts);
        EXPECT_EQ(slices.segments(), static_cast<int>(starts.size()) + 1);
        expect_everything(slices);
        const int64_t largest = slices.largest();
        for (int p = 0; p < of; ++p) expect_slice(slices, p, largest);
      }
}

// Gradients are final from the start of a layer on, so a segment must not begin before it.
TEST(Slices, HaveSegmentsThatBeginBehindTheirStarts) {
  const std::vector<int64_t> starts{100'000, 100'016, 500'000, 900'000};
  for (const int of : {1, 2, 16, 1024}) {
    const Slices slices(1 << 20, of, starts);
    for (int s = 1; s < slices.segments(); ++s)
      if (slices.segment(s).size() > 0) {
        EXPECT_GE(slices.segment(s).from, starts[static_cast<size_t>(s) - 1]);
        EXPECT_GE(slices.segment(s).size(), int64_t{of} * 4 * slices.block()) << "else it is part of the one before";
      }
    EXPECT_EQ(slices.segment(1).size(), 0);
    EXPECT_EQ(slices.segment(2).size() > 0, of <= 16);
  }
  EXPECT_THROW(Slices(1 << 20, 2, std::vector<int64_t>{5000, 1000}), InternalError);
}

TEST(Slices, AreCompletedAndCollected) {
  constexpr int64_t numbers = 16 * 4000;
  for (const int count : {1, 2, 3, 5}) {
    in_threads(count, [&](ThreadProcess& p) {
      const Slices slices(numbers, count, std::vector<int64_t>{16 * 1000, 16 * 1100, 16 * 3000});
      std::vector<float> all(numbers, -1), own;
      Room room;
      for (const Share& share : slices.of(p.number()))
        for (int64_t i = share.from; i < share.to; ++i) own.push_back(all[i] = static_cast<float>(i));
      std::vector<float> whole(all.size(), -1);
      collect(p, slices, own.data(), p.first() ? whole.data() : nullptr);
      complete(p, slices, all.data(), room);
      for (size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], static_cast<float>(i));
        ASSERT_EQ(whole[i], p.first() ? static_cast<float>(i) : -1.f);
      }
      EXPECT_EQ(p.sent(), static_cast<size_t>(count - 1 + !p.first()) * own.size() * sizeof(float));
    });
  }
}

TEST(Gathered, IsTheSameInAllProcessesAgainAndAgain) {
  for (const int count : {1, 2, 4}) {
    in_threads(count, [&](ThreadProcess& p) {
      // Process 1 sends nothing.
      Gathered<int64_t> gathered(p, [](int process) { return process == 1 ? 0 : process + 1; });
      for (int64_t time = 0; time < 3; ++time) {
        for (int64_t& value : gathered.own()) value = 100 * time + p.number();
        std::vector<int64_t> expected;
        for (int process = 0; process < count; ++process)
          expected.insert(expected.end(), process == 1 ? 0u : static_cast<size_t>(process) + 1, 100 * time + process);
        const std::span<const int64_t> all = gathered.exchange(p);
        EXPECT_EQ(std::vector<int64_t>(all.begin(), all.end()), expected);
      }
    });
  }
}

// Values needed only in bf16 are sent as bf16, in half the bytes, wherever slices divide them.
TEST(Slices, AreCompletedInBf16) {
  constexpr int64_t numbers = 16 * 40'000;
  const std::vector<Share> rounded{{16, 16}, {32, 1000}, {5000, 300'000}, {300'000, 300'016}, {639'984, 640'000}};
  const auto value = [](int64_t i) { return std::ldexp(1 + static_cast<float>(i) * 1e-6f, static_cast<int>(i % 40)); };
  const auto nearest = [](float x) {
    const float step = std::ldexp(1.f, std::ilogb(x) - 7);
    return static_cast<float>(std::nearbyint(x / step)) * step;
  };
  for (const int count : {1, 2, 3, 5}) {
    in_threads(count, [&](ThreadProcess& p) {
      const Slices slices(numbers, count, std::vector<int64_t>{16 * 2000, 16 * 10'000, 16 * 30'000});
      std::vector<float> all(numbers, -1);
      Room room;
      std::vector<bool> is_own(numbers);
      size_t bytes = 0;
      for (const Share& own : slices.of(p.number())) {
        for (int64_t i = own.from; i < own.to; ++i) all[i] = value(i), is_own[i] = true;
        bytes += bytes_rounded(own, rounded);
      }
      complete_rounded(p, slices, rounded, all.data(), room);
      for (int64_t i = 0; i < numbers; ++i) {
        const bool others = !is_own[i];
        const bool round = std::any_of(rounded.begin(), rounded.end(),
                                       [&](const Share& part) { return part.from <= i && i < part.to; });
        ASSERT_EQ(all[i], others && round ? nearest(value(i)) : value(i)) << i;
      }
      EXPECT_EQ(p.sent(), bytes * static_cast<size_t>(count - 1));
      complete(p, slices, all.data(), room);
      for (int64_t i = 0; i < numbers; ++i) ASSERT_EQ(all[i], value(i));
    });
  }
  EXPECT_EQ(bytes_rounded({0, numbers}, rounded), 4u * numbers - 2u * (968 + 295'000 + 16 + 16));
  EXPECT_EQ(bytes_rounded({40, 100}, rounded), 120u);
  EXPECT_EQ(bytes_rounded({100, 100}, rounded), 0u);
}

TEST(Processes, SayTheSameToAll) {
  for (const int count : {1, 2, 3, 5})
    in_threads(count, [&](ThreadProcess& p) {
      const std::vector<std::string> all = gather(p, std::string(static_cast<size_t>(p.number()), 'x'));
      ASSERT_EQ(all.size(), static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) EXPECT_EQ(all[i].size(), static_cast<size_t>(i));
      EXPECT_EQ(of_first(p, p.first() ? "first" : "other"), "first");
      EXPECT_EQ(of_first(p, int64_t{-7} * (p.number() + 1)), -7);
      std::vector<char> bytes((size_t{8} << 20) + 5, p.first() ? 'a' : 'b');  // more than is sent at once
      spread(p, bytes.data(), bytes.size());
      EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 'a'), std::ssize(bytes));
      wait_for_all(p);
    });
}

TEST(Processes, PackAnyTexts) {
  const std::vector<std::string> texts{"", "a", std::string("b\0c\n", 4), ""};
  EXPECT_EQ(unpack(pack(texts)), texts);
  EXPECT_TRUE(unpack("").empty());
  EXPECT_THROW(unpack("abc"), InternalError);
  EXPECT_THROW(unpack(pack({"abc"}).substr(0, 9)), InternalError);
}

TEST(Agreement, NamesWhoIsDifferentAndHow) {
  for (const bool same : {true, false}) {
    const std::string message = what_of<UsageError>([&] {
      in_threads(3, [&](ThreadProcess& p) {
        require_same(p, "another program", same || p.number() != 2 ? "version 1.0 of it" : "version 1.1 beta of it",
                     words_that_differ, "start the same one");
      });
    });
    EXPECT_EQ(message, same ? "(no such error was thrown)"
                            : "process 3 of 3 (thread-2) has another program than process 1 of 3 (thread-0): 1.0 -> "
                              "1.1 beta; start the same one");
  }
}

TEST(Agreement, WarnsOfMoreThreadsThanCores) {
  const auto warnings = [](std::vector<Place> places) {
    std::vector<std::string> found;
    in_threads(static_cast<int>(places.size()), [&](ThreadProcess& p) {
      const auto all = warnings_of_threads(p, places[p.number()]);
      if (p.number() == 1) found = all;
    });
    return found;
  };
  EXPECT_TRUE(warnings({{1, 1, 2}, {2, 2, 2}}).empty());
  EXPECT_THAT(
      warnings({{1, 1, 4}, {3, 1, 4}}),
      ElementsAre(HasSubstr("process 2 of 2 (thread-1) has 3 threads, but the launcher has bound it to 1 core")));
  EXPECT_TRUE(warnings_of_threads(alone(), {8, 1, 1}).empty()) << "nobody has launched it";
}

}  // namespace
}  // namespace hexapla::train::cluster
