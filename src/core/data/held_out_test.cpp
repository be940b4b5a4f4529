#include "data/held_out.h"

#include <gtest/gtest.h>

#include <set>

#include "base/compute/random.h"

namespace hexapla::data {
namespace {

TextPair pair_of(int64_t line, const std::string& source) { return {0, line, source, "t" + std::to_string(line)}; }

std::vector<TextPair> text_of(int64_t pairs) {
  std::vector<TextPair> text;
  for (int64_t i = 1; i <= pairs; ++i) text.push_back(pair_of(i, "句子 " + std::to_string(i * 7919 % 1009)));
  return text;
}

HeldOut held_out_of(const std::vector<TextPair>& text, int64_t sources) {
  HeldOut held(sources);
  for (const TextPair& pair : text) held.show(pair);
  return held;
}

std::set<std::string> sources_of(const HeldOut& held) {
  std::set<std::string> all;
  for (const TextPair& pair : held.pairs()) all.insert(pair.source);
  return all;
}

TEST(HeldOut, IsTheSameInAnyOrder) {
  std::vector<TextPair> text = text_of(3000);
  const std::set<std::string> first = sources_of(held_out_of(text, 100));
  Random(1).shuffle(text);
  EXPECT_EQ(sources_of(held_out_of(text, 100)), first);
  EXPECT_EQ(first.size(), 100u);
}

TEST(HeldOut, HoldsEveryPairWithItsSources) {
  const std::vector<TextPair> text = text_of(3000);  // each source twice or three times
  const HeldOut held = held_out_of(text, 50);
  const std::set<std::string> sources = sources_of(held);
  for (const TextPair& pair : text) EXPECT_EQ(held.holds(pair.source), sources.contains(pair.source)) << pair.source;
}

TEST(HeldOut, HoldsLinesThatDifferInCaseBlanksAndPunctuation) {
  const HeldOut held = held_out_of({pair_of(1, "A dog, running!")}, 1);
  for (const char* same : {"a dog running", "A DOG RUNNING", "a  dog; running ."})
    EXPECT_TRUE(held.holds(same)) << same;
  for (const char* other : {"a dog runs", "a dog running 2", "?!", ""}) EXPECT_FALSE(held.holds(other)) << other;
}

TEST(HeldOut, AreInTheOrderOfTheText) {
  const std::vector<TextPair> held = held_out_of(text_of(500), 40).pairs();
  for (size_t i = 1; i < held.size(); ++i) EXPECT_LT(held[i - 1].line, held[i].line);
}

TEST(HeldOut, LeavesHalfOfAnyTextToTrainOn) {
  HeldOut alike(3), half(40);
  for (int64_t i = 1; i <= 30; ++i) alike.show(pair_of(i, "the same"));
  for (const TextPair& pair : text_of(10)) half.show(pair);
  alike.settle(), half.settle();
  EXPECT_TRUE(alike.pairs().empty());
  EXPECT_EQ(half.pairs().size(), 5u);
}

}  // namespace
}  // namespace hexapla::data
