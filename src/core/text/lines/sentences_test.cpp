#include "text/lines/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/test_paths.h"

namespace hexapla::text {
namespace {
using testing::ElementsAre;

TEST(Sentences, EndAtStopsThatABlankFollows) {
  EXPECT_THAT(sentences("One. Two!  Is it 3.5? \"Yes.\" No"),
              ElementsAre("One.", "Two!", "Is it 3.5?", "\"Yes.\"", "No"));
  EXPECT_THAT(sentences("一。二！三"), ElementsAre("一。", "二！", "三"));
  EXPECT_THAT(sentences("Wait... what?! (Really.) Yes."), ElementsAre("Wait... what?!", "(Really.)", "Yes."));
  EXPECT_THAT(sentences("no end"), ElementsAre("no end"));
  EXPECT_TRUE(sentences("   ").empty());
}

// Lines with | at sentence ends. The rules were developed with the first file; the second was
// written before they had seen it (docs/adr/0090-where-sentences-end.md).
class MarkedLines : public testing::TestWithParam<std::pair<const char*, size_t>> {};
INSTANTIATE_TEST_SUITE_P(Of, MarkedLines,
                         testing::Values(std::pair{"seen.txt", size_t{2}}, std::pair{"held_out.txt", size_t{2}}));

TEST_P(MarkedLines, ArePartedWhereTheyAreMarked) {
  std::ifstream file(source_path(cat("tests/fixtures/sentences/", GetParam().first)));
  size_t lines = 0;
  std::string others;
  for (std::string line; std::getline(file, line); ++lines) {
    std::string text, marked, found;
    for (const char c : line.substr(line.find('\t') + 1)) {
      if (c != '|') text += c;
      if (c != ' ') marked += c;
    }
    if (!marked.ends_with('|')) marked += '|';
    for (const std::string_view sentence : sentences(text)) {
      for (const char c : sentence)
        if (c != ' ') found += c;
      found += '|';
    }
    if (found != marked) others += found + "\n";
  }
  EXPECT_GE(lines, 60u);
  EXPECT_LE(static_cast<size_t>(std::count(others.begin(), others.end(), '\n')), GetParam().second) << others;
}

TEST(Sentences, AreSeveralWhereThereIsMoreThanOne) {
  for (const char* one : {"", "   ", "no end", "One.", "Really?! ", "\"Yes.\"", "Is it 3.5?", "一。", "a… b"})
    EXPECT_EQ(several_sentences(one), sentences(one).size() > 1) << one;
  for (const char* several : {"One. Two!", "One! Two", "一。二", "(Really.) Yes."})
    EXPECT_TRUE(several_sentences(several));
}

auto at_most(size_t bytes) {
  return [bytes](const std::string& text) { return text.size() <= bytes; };
}

TEST(Parted, AsLittleAsNeedBe) {
  const std::string text = "One two three. Four, five and six, seven. Eight";
  EXPECT_THAT(parted(text, at_most(100)), ElementsAre(text));
  EXPECT_THAT(parted(text, at_most(30)), ElementsAre("One two three.", "Four, five and six, seven.", "Eight"));
  EXPECT_THAT(parted(text, at_most(20)), ElementsAre("One two three.", "Four, five and six,", "seven.", "Eight"));
  EXPECT_THAT(parted(text, at_most(9)),
              ElementsAre("One two", "three.", "Four,", "five and", "six,", "seven.", "Eight"));
  EXPECT_THAT(parted("abcdefg hi", at_most(3)), ElementsAre("abc", "def", "g", "hi"));
  EXPECT_THAT(parted("äöü", at_most(3)), ElementsAre("ä", "ö", "ü"));  // never inside a character
}

TEST(Parted, KeepsEveryCharacter) {
  const std::string text = "Aa bb, cc. Dd ee! Ff: gg? (Hh ii.) jj";
  const auto without_blanks = [](const std::vector<std::string>& parts) {
    std::string all;
    for (const std::string& p : parts)
      for (const char c : p)
        if (c != ' ') all += c;
    return all;
  };
  for (size_t n = 1; n < text.size(); ++n)
    EXPECT_EQ(without_blanks(parted(text, at_most(n))), without_blanks({text})) << n;
}

// Measures the bytes examined instead of time: a text that could only be split at characters used
// to be examined once for each of them.
TEST(Parted, EffortGrowsWithTheTextAlone) {
  for (const char* unit : {"x", "xy ", "x, "}) {
    std::string text;
    while (text.size() < 60'000) text += unit;
    size_t seen = 0;
    const auto parts = parted(text, [&](const std::string& t) {
      seen += t.size();
      return t.size() <= 2'000;
    });
    EXPECT_THAT(parts.size(), testing::AllOf(testing::Ge(30u), testing::Le(31u)));
    EXPECT_LT(seen, 40 * text.size());
  }
}

TEST(Joined, BlanksWhereTheScriptHasThem) {
  EXPECT_EQ(joined({"One.", "", "Two."}), "One. Two.");
  EXPECT_EQ(joined({"一。", "二"}), "一。二");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace hexapla::text
