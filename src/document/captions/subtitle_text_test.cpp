// Subtitles, whose cues are translated.
#include "document/captions/subtitle_text.h"

#include <gmock/gmock.h>

namespace hexapla::document {
namespace {

using testing::ElementsAre;

// Every line in capitals, for a translation without alignment.
PendingTranslation::Lines in_capitals(const std::vector<std::string>& lines) {
  PendingTranslation::Lines found;
  for (std::string line : lines) {
    for (char& c : line)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    found.emplace_back(1).front().text = line;
  }
  return found;
}

std::string in_capitals(const std::string& subtitles) {
  const SubtitleText text(subtitles);
  return text.joined(0, in_capitals(text.lines()), 0);
}

TEST(SubtitleText, LeavesNumbersAndTimesAsTheyAre) {
  const std::string srt =
      "1\r\n00:00:01,000 --> 00:00:02,500\r\na big\r\ndog\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n2 cats & a cow";
  EXPECT_THAT(SubtitleText(srt).lines(), ElementsAre("a big dog", "2 cats & a cow"));
  EXPECT_EQ(in_capitals(srt),
            "1\r\n00:00:01,000 --> 00:00:02,500\r\nA BIG\r\nDOG\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n"
            "2 CATS & A COW");
}

TEST(SubtitleText, OfWebVttKeepsHeadersNotesAndSettings) {
  const std::string vtt =
      "\xEF\xBB\xBFWEBVTT\n\nNOTE a note\n\nintro\n00:01.000 --> 00:02.000 align:start\nfish &amp; "
      "chips\n\nSTYLE\n::cue "
      "{}\n";
  EXPECT_THAT(SubtitleText(vtt).lines(), ElementsAre("fish & chips"));
  EXPECT_EQ(
      in_capitals(vtt),
      "\xEF\xBB\xBFWEBVTT\n\nNOTE a note\n\nintro\n00:01.000 --> 00:02.000 align:start\nFISH &amp; CHIPS\n\nSTYLE\n"
      "::cue {}\n");
}

TEST(SubtitleText, EachOfThoseWhoSpeakHasALine) {
  const std::string srt = "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}- who is there?\n- nobody\n";
  EXPECT_THAT(SubtitleText(srt).lines(), ElementsAre("who is there?", "nobody"));
  EXPECT_EQ(in_capitals(srt), "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}- WHO IS THERE?\n- NOBODY\n");
}

TEST(SubtitleText, WhatHasNoWordsStaysAsItIs) {
  for (const char* srt : {"", "\n\n", "1\n00:00:01,000 --> 00:00:02,000\n\xE2\x99\xAA\n\xE2\x99\xAA\n",
                          "no cue at all\n", "-->", "-->\n<i>"})
    EXPECT_EQ(in_capitals(srt), srt);
}

TEST(SubtitleText, TagsGoWithTheirWords) {
  const SubtitleText text("1\n00:00:01,000 --> 00:00:02,000\na <i>big</i>\ndog\n");
  EXPECT_THAT(text.aligned(), testing::Contains(true));
  Translation t;
  t.text = "dog big a";
  t.alignment.source_words = {"a", "big", "dog"};
  t.alignment.target_words = {"dog", "big", "a"};
  t.alignment.links = {{2, 0}, {1, 1}, {0, 2}};
  EXPECT_EQ(text.joined(0, {{t}}, 0), "1\n00:00:01,000 --> 00:00:02,000\ndog\n<i>big</i> a\n");
}

TEST(BrokenIntoLines, AreOfAboutEqualLength) {
  EXPECT_EQ(broken_into_lines("one two three four", 2), "one two\nthree four");
  EXPECT_EQ(broken_into_lines("one two three four", 3), "one two\nthree\nfour");
  EXPECT_EQ(broken_into_lines("<font color=\"x y\">a</font> b", 2), "<font color=\"x y\">a</font>\nb");
  EXPECT_EQ(broken_into_lines("one", 2), "one");
  EXPECT_EQ(broken_into_lines("\xE4\xB8\x80\xE4\xBA\x8C", 2), "\xE4\xB8\x80\xE4\xBA\x8C");  // nowhere to break
  EXPECT_EQ(broken_into_lines("", 3), "");
}

}  // namespace
}  // namespace hexapla::document
