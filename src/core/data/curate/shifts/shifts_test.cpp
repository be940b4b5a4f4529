#include "data/curate/shifts/shifts.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/options/environment.h"
#include "data/curate/shifts/change_locator.h"
#include "data/curate/test_text.h"
#include "data/files/lines.h"

namespace hexapla::data {
namespace {

std::vector<LineSignature> signatures(const std::vector<std::string>& lines) {
  std::vector<LineSignature> out;
  for (const auto& line : lines) out.push_back(signature_of(line));
  return out;
}
ShiftPath find(const MadeText& text) { return find_shifts(signatures(text.source), signatures(text.target)); }

// Removes lines of one side, like a cut-and-paste accident.
void cut(std::vector<std::string>& side, int64_t from, int lines) {
  side.erase(side.begin() + from, side.begin() + from + lines);
}

void expect_in_step(const ShiftPath& path) {
  EXPECT_TRUE(path.can_judge);
  ASSERT_EQ(path.stretches.size(), 1u);
  EXPECT_EQ(path.stretches[0].shift, 0);
}

TEST(Signature, OfALine) {
  const LineSignature none = signature_of("");
  EXPECT_EQ(none.length, 0);
  EXPECT_EQ(none.numbers, 0);
  EXPECT_EQ(none.marks, 0);
  EXPECT_EQ(signature_of("abcdefg").length, 12);  // 4 * log2(8)
  EXPECT_EQ(signature_of("äöüßéèà").length, 12);  // characters, not bytes
  EXPECT_EQ(signature_of(std::string(1 << 20, 'a')).length, kLengths - 1);
  EXPECT_EQ(signature_of("in 1,000.5 m").numbers, signature_of("auf 1 000,5 m").numbers);
  EXPECT_NE(signature_of("in 1000").numbers, signature_of("in 1001").numbers);
  EXPECT_EQ(signature_of("why?").marks, signature_of("为什么？").marks);
  EXPECT_NE(signature_of("why?").marks, signature_of("why!").marks);
  EXPECT_EQ(signature_of("The man Bob and Al").capitals, 2);
  EXPECT_EQ(signature_of("A B C D E F").capitals, 3);
}

TEST(Shifts, CleanTextIsInStep) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const ShiftPath path = find(made_text(3000, seed));
    expect_in_step(path);
    EXPECT_TRUE(path.lost.empty());
  }
}

TEST(Shifts, FoundWhereTheyBegin) {
  for (const int missing : {1, 2, 3, 10}) {
    for (const bool of_target : {true, false}) {
      MadeText text = made_text(4000, 7);
      cut(of_target ? text.target : text.source, 2000, missing);
      const ShiftPath path = find(text);
      EXPECT_TRUE(path.can_judge);
      ASSERT_EQ(path.stretches.size(), 2u) << missing << of_target;
      EXPECT_EQ(path.stretches[1].shift, of_target ? -missing : missing);
      EXPECT_NEAR(static_cast<double>(path.stretches[1].begin), 2000, 15);
      EXPECT_GT(path.stretches[1].evidence, 30);
    }
  }
}

// Reports neither a wrong offset nor that all is well.
TEST(Shifts, LargerThanWasLookedForIsAPassageWithoutAnOffset) {
  for (const int missing : {11, 15, 60}) {
    for (const bool of_target : {true, false}) {
      MadeText text = made_text(8000, 9);
      cut(of_target ? text.target : text.source, 4000, missing);
      const ShiftPath path = find(text);
      EXPECT_TRUE(path.can_judge);
      ASSERT_EQ(path.stretches.size(), 1u) << missing << of_target;
      EXPECT_EQ(path.stretches[0].shift, 0);
      ASSERT_EQ(path.lost.size(), 1u) << missing << of_target;
      EXPECT_NEAR(static_cast<double>(path.lost[0].begin), 4000, 60);
      EXPECT_NEAR(static_cast<double>(path.lost[0].end), 8000 - missing, 100);
      EXPECT_TRUE(path.ends_lost);
      MadeText all = made_text(8000, 9);
      cut(of_target ? all.target : all.source, 0, missing);
      EXPECT_FALSE(find(all).can_judge) << missing << of_target;
    }
  }
}

TEST(Shifts, AfterALostPassageTheOldStepIsFollowed) {
  MadeText text = made_text(9000, 10);
  cut(text.target, 3000, 20);
  cut(text.source, 6000, 20);
  const ShiftPath path = find(text);
  ASSERT_EQ(path.stretches.size(), 1u);
  ASSERT_EQ(path.lost.size(), 1u);
  EXPECT_NEAR(static_cast<double>(path.lost[0].begin), 3000, 60);
  EXPECT_NEAR(static_cast<double>(path.lost[0].end), 6000, 60);
}

// A shift that preserves the number of lines: one lost, and later one too many.
TEST(Shifts, ThereAndBackAgain) {
  MadeText text = made_text(6000, 8);
  cut(text.target, 2000, 1);
  cut(text.source, 4000, 1);
  const ShiftPath path = find(text);
  ASSERT_EQ(path.stretches.size(), 3u);
  EXPECT_EQ(path.stretches[1].shift, -1);
  EXPECT_EQ(path.stretches[2].shift, 0);
  EXPECT_NEAR(static_cast<double>(path.stretches[1].begin), 2000, 15);
  EXPECT_NEAR(static_cast<double>(path.stretches[2].begin), 4000, 15);
}

TEST(Shifts, OfTheWholeText) {
  MadeText text = made_text(3000, 9);
  cut(text.source, 0, 2);
  const ShiftPath path = find(text);
  ASSERT_EQ(path.stretches.size(), 1u);
  EXPECT_EQ(path.stretches[0].shift, 2);
}

TEST(Shifts, OneLongerStretchThanTheShortestIsSeen) {
  MadeText text = made_text(6000, 10);
  const int64_t shortest = find(text).shortest;
  EXPECT_GT(shortest, 5);
  EXPECT_LT(shortest, 500);
  cut(text.target, 3000, 1);
  cut(text.source, 3000 + 2 * shortest, 1);
  EXPECT_EQ(find(text).stretches.size(), 3u);
}

TEST(Shifts, NoFalseAlarmFromJunk) {
  for (const uint64_t seed : {11, 12, 13}) {
    MadeText text = made_text(6000, seed);
    Random random(seed);
    for (int64_t i = 2500; i > 1500; --i)  // shuffles a thousand targets
      std::swap(text.target[i], text.target[1500 + random.below(static_cast<uint32_t>(i - 1499))]);
    const ShiftPath path = find(text);
    expect_in_step(path);
    ASSERT_EQ(path.lost.size(), 1u);
    EXPECT_NEAR(static_cast<double>(path.lost[0].begin), 1500, 100);
    EXPECT_NEAR(static_cast<double>(path.lost[0].end), 2500, 100);
    EXPECT_FALSE(path.ends_lost);
  }
}
TEST(Shifts, NoFalseAlarmFromARhythm) {
  MadeText text = made_text(4000, 14);
  for (size_t i = 0; i < text.source.size(); i += 2) {
    text.source[i] += " " + text.source[i] + " " + text.source[i];
    text.target[i] += " " + text.target[i] + " " + text.target[i];
  }
  expect_in_step(find(text));
}
TEST(Shifts, NoFalseAlarmFromSortedText) {
  MadeText text = made_text(4000, 15);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < text.source.size(); ++i) pairs.emplace_back(text.source[i], text.target[i]);
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.first.size() < b.first.size(); });
  for (size_t i = 0; i < pairs.size(); ++i) std::tie(text.source[i], text.target[i]) = pairs[i];
  expect_in_step(find(text));
}
TEST(Shifts, NoFalseAlarmFromRepeatedBlocks) {
  MadeText text = made_text(4000, 16);
  for (size_t i = 1000; i < 2000; ++i) {
    text.source[i] = text.source[i % 3];
    text.target[i] = text.target[i % 3];
  }
  expect_in_step(find(text));
}

TEST(Shifts, CannotJudgeWhatDoesNotGoTogether) {
  MadeText text = made_text(4000, 17);
  text.target = made_text(4000, 18).target;
  EXPECT_FALSE(find(text).can_judge);
}
TEST(Shifts, CannotJudgeAFewLinesOrNone) {
  EXPECT_FALSE(find({}).can_judge);
  EXPECT_FALSE(find(MadeText{{"one"}, {"eins"}}).can_judge);
  EXPECT_EQ(find(MadeText{{"one", "two"}, {}}).stretches.size(), 1u);
}

TEST(Words, OfALine) {
  EXPECT_EQ(words_of("A man, a plan!").size(), 3u);  // distinct words
  EXPECT_EQ(words_of("Man"), words_of("mAN."));
  EXPECT_EQ(words_of("grün Grün").size(), 1u);
  EXPECT_EQ(words_of("你好世界").size(), 4u);
  EXPECT_TRUE(words_of(" .,! ").empty());
}

TEST(Association, PairsScoreAboveStrangers) {
  const MadeText text = made_text(1000, 19);
  Association lexicon;
  for (size_t i = 0; i < 900; ++i) lexicon.add(words_of(text.source[i]), words_of(text.target[i]));
  for (size_t i = 900; i < 999; ++i) {
    const Words x = words_of(text.source[i]);
    EXPECT_GT(lexicon.score(x, words_of(text.target[i])), 0.9);
    EXPECT_LT(lexicon.score(x, words_of(text.target[i + 1])), 0.9);
  }
  EXPECT_EQ(lexicon.score({}, {}), 0);
}

TEST(Association, ForgetsWhatItHasLearned) {
  Association lexicon;
  lexicon.add({1, 2}, {11, 12});
  lexicon.add({1}, {11});
  lexicon.remove({1}, {11});
  Association once;
  once.add({1, 2}, {11, 12});
  EXPECT_EQ(lexicon.score({1}, {11, 12}), once.score({1}, {11, 12}));
  lexicon.remove({1, 2}, {11, 12});
  EXPECT_EQ(lexicon.score({1}, {11}), 0);
}

std::vector<int64_t> located(const MadeText& text, std::vector<ShiftPlace> places) {
  ChangeLocator locator(places);
  for (size_t i = 0; i < std::max(text.source.size(), text.target.size()); ++i) {
    RawPair pair;
    if (i < text.source.size()) pair.source = text.source[i], pair.has_source = true;
    if (i < text.target.size()) pair.target = text.target[i], pair.has_target = true;
    locator.read(pair);
    EXPECT_LE(locator.lines_held(), 2 * 6000 + 200);
  }
  locator.finish();
  std::vector<int64_t> lines;
  for (const ShiftPlace& place : places) {
    EXPECT_TRUE(place.exact);
    lines.push_back(place.line);
  }
  return lines;
}

TEST(ChangeLocator, LocatesAChangeToTheLine) {
  for (const int missing : {1, 3}) {
    for (const bool of_target : {true, false}) {
      MadeText text = made_text(2000, 20);
      cut(of_target ? text.target : text.source, 1000, missing);
      for (const int64_t near : {1020, 985})
        EXPECT_THAT(located(text, {{.line = near, .before = 0, .after = of_target ? -missing : missing}}),
                    testing::ElementsAre(1001));
    }
  }
}

TEST(ChangeLocator, HoldsTheLinesAroundOneChangeOnly) {
  MadeText text = made_text(30'000, 21);
  std::vector<ShiftPlace> places;
  std::vector<int64_t> lines;
  for (int64_t line = 28'000; line > 0; line -= 500) {
    const bool of_target = line / 500 % 2 == 0;  // alternately
    cut(of_target ? text.target : text.source, line, 1);
  }
  int shift = 0, lost = 0;
  for (int64_t line = 500; line <= 28'000; line += 500) {
    const bool of_target = line / 500 % 2 == 0;
    const int64_t begin = line + 1 - lost;  // in the current source
    lost += of_target ? 0 : 1;
    places.push_back({.line = begin + 7, .before = shift, .after = shift + (of_target ? -1 : 1)});
    shift = places.back().after;
    lines.push_back(begin);
  }
  EXPECT_EQ(located(text, places), lines);
}

class Multi30kShifts : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = environment("HEXAPLA_MULTI30K");
    if (!folder) GTEST_SKIP() << "HEXAPLA_MULTI30K is not set";
    text_ = {data::read_lines(std::string(folder) + "/train.en.gz"),
             data::read_lines(std::string(folder) + "/train.de.gz")};
  }
  MadeText text_;
};
TEST_F(Multi30kShifts, AsItIs) { expect_in_step(find(text_)); }
TEST_F(Multi30kShifts, FromHalfOn) {
  for (const int missing : {1, 2, 3}) {
    MadeText text = text_;
    cut(text.target, 14'500, missing);
    const ShiftPath path = find(text);
    ASSERT_EQ(path.stretches.size(), 2u);
    EXPECT_EQ(path.stretches[1].shift, -missing);
    EXPECT_NEAR(static_cast<double>(path.stretches[1].begin), 14'500, 15);
  }
}

}  // namespace
}  // namespace hexapla::data
