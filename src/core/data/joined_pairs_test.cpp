#include "data/joined_pairs.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/test_folder.h"

namespace hexapla::data {
namespace {

using testing::ElementsAre;

EncodedPair pair(int64_t line, const std::string& source, const std::string& target, size_t tokens = 3) {
  return {{0, line, source, target}, {text::Ids(tokens, 5), text::Ids(tokens, 5)}};
}

std::vector<std::string> joined_pairs(PairJoiner joiner, std::vector<EncodedPair> pairs) {
  std::vector<std::string> all;
  const auto add = [&](const std::optional<EncodedPair>& p) {
    if (p) all.push_back(cat(p->text.line, "x", p->lines, " ", p->text.source, "=", p->text.target));
  };
  for (EncodedPair& p : pairs) add(joiner.add(std::move(p)));
  add(joiner.finish());
  return all;
}

constexpr double kNearlyAlways = 1 - 1e-9;

TEST(PairJoiner, JoinsNeighborsAsTheirScriptDoes) {
  EXPECT_THAT(
      joined_pairs({kNearlyAlways, 100}, {pair(1, "A dog.", "狗。"), pair(2, "A cat.", "猫。"), pair(3, "?", "？")}),
      ElementsAre("1x3 A dog. A cat. ?=狗。猫。？"));
  EXPECT_THAT(joined_pairs({kNearlyAlways, 100}, {pair(1, "كلب.", "A dog."), pair(2, "قطة.", "A cat.")}),
              ElementsAre("1x2 كلب. قطة.=A dog. A cat."));
}

TEST(PairJoiner, JoinsNothingWithoutBeingAsked) {
  EXPECT_THAT(joined_pairs({0, 100}, {pair(1, "a", "b"), pair(2, "c", "d")}), ElementsAre("1x1 a=b", "2x1 c=d"));
}

TEST(PairJoiner, ParagraphsSetsAndLimitsPartThePairs) {
  EXPECT_THAT(joined_pairs({kNearlyAlways, 100}, {pair(1, "a", "b"), pair(3, "c", "d")}),
              ElementsAre("1x1 a=b", "3x1 c=d"))
      << "a line between them was dropped";
  EncodedPair other = pair(2, "c", "d");
  other.text.corpus = 1;
  EXPECT_THAT(joined_pairs({kNearlyAlways, 100}, {pair(1, "a", "b"), other}), ElementsAre("1x1 a=b", "2x1 c=d"));
  EXPECT_THAT(joined_pairs({kNearlyAlways, 7}, {pair(1, "a", "b"), pair(2, "c", "d"), pair(3, "e", "f")}),
              ElementsAre("1x2 a c=b d", "3x1 e=f"))
      << "nine tokens and </s>";
  EXPECT_THAT(joined_pairs({kNearlyAlways, 100}, {pair(1, "a", "b", 0), pair(2, "c", "d")}),
              ElementsAre("1x1 a=b", "2x1 c=d"))
      << "a side without tokens is dropped alone";
}

TEST(PairJoiner, JoinsAsOftenAsAsked) {
  for (const double probability : {0.1, 0.5, 0.9}) {
    std::vector<EncodedPair> pairs;
    for (int64_t line = 1; line <= 20'000; ++line) pairs.push_back(pair(line, "a", "b"));
    const auto kept = static_cast<double>(joined_pairs({probability, 1'000}, std::move(pairs)).size());
    EXPECT_NEAR(1 - kept / 20'000, probability, 0.015) << "four standard deviations";
  }
}

class JoinedText : public TestFolder {
 protected:
  // The stored text of each of two halves of the lines.
  std::vector<std::vector<std::string>> deal(size_t parts, bool keep_text, double probability) {
    TrainingText text(parse_sets("train-sets", {at("a"), at("b")}, false), {size_t{1} << 30, folder()});
    const PartOfPair part_of = [&](const TextPair& p) {
      return static_cast<size_t>(p.line > kLines / 2) * (parts - 1);
    };
    std::vector<std::vector<std::string>> all;
    for (const PreparedPairs& part :
         deal_pairs(text, {*vocabulary_, *vocabulary_}, {200, keep_text, {size_t{1} << 30, folder()}, probability},
                    parts, part_of, [](const char*, int64_t) {})) {
      all.emplace_back();
      part.store->for_each([&](const PackedPair& p) {
        all.back().push_back(keep_text ? std::string(p.source) : vocabulary_->decode(unpack_ids(p.source)));
      });
      lines_ = part.lines;
    }
    return all;
  }
  void SetUp() override {
    TestFolder::SetUp();
    std::ofstream a(at("a")), b(at("b"));
    std::vector<std::string> lines;
    for (int64_t i = 0; i < kLines; ++i) a << lines.emplace_back(cat("line w", i % 13, ".")) << '\n', b << "z.\n";
    vocabulary_ = text::Vocabulary::train(lines, {.size = 40});
  }

  static constexpr int64_t kLines = 40'000;  // more than two blocks of reading
  std::optional<text::Vocabulary> vocabulary_;
  LineCounts lines_;
};

TEST_F(JoinedText, IdsAreThoseOfTheJoinedText) {
  const auto texts = deal(1, true, 0.5), decoded = deal(1, false, 0.5);
  EXPECT_EQ(texts, decoded);
  EXPECT_NEAR(static_cast<double>(texts[0].size()) / kLines, 0.5, 0.02);
  EXPECT_NEAR(static_cast<double>(lines_.several) / static_cast<double>(lines_.lines), 0.5, 0.02)
      << "the record of the model says that it knows lines of several sentences";
}

TEST_F(JoinedText, PartsJoinTheSameLines) {
  const auto whole = deal(1, true, 0.5), halves = deal(2, true, 0.5);
  std::vector<std::string> both = halves[0];
  both.insert(both.end(), halves[1].begin(), halves[1].end());
  // Only the pair at the border between them may differ.
  EXPECT_LE(both.size() - whole[0].size(), 1u);
  EXPECT_TRUE(std::equal(halves[0].begin(), halves[0].end() - 1, whole[0].begin()));
  EXPECT_TRUE(std::equal(halves[1].rbegin(), halves[1].rend() - 1, whole[0].rbegin()));
}

}  // namespace
}  // namespace hexapla::data
