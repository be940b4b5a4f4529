// Markup moves with the words that it belongs to.
#include "text/marked/marked_line.h"

#include <gtest/gtest.h>

#include "text/words.h"

namespace hexapla::text {
namespace {

using PartKind = LinePart::Kind;

// "a <b>dog</b> {x}": tags open and close; "<x/>" and text in braces are points; "|" is a line
// break.
std::vector<LinePart> parts_of(std::string_view line) {
  std::vector<LinePart> parts;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    const std::size_t end = c == '<'   ? line.find('>', at) + 1
                            : c == '{' ? line.find('}', at) + 1
                            : c == '|' ? at + 1
                                       : std::min(line.find_first_of("<{|", at), line.size());
    const std::string content(line.substr(at, end - at));
    const PartKind tag = content.starts_with("</") ? PartKind::close
                         : content.ends_with("/>") ? PartKind::point
                                                   : PartKind::open;
    parts.push_back({c == '<'   ? tag
                     : c == '{' ? PartKind::point
                     : c == '|' ? PartKind::line_break
                                : PartKind::text,
                     content});
    at = end;
  }
  return parts;
}

std::string text_of(std::string_view line) { return MarkedLine(parts_of(line)).text(); }

std::string as_it_is(std::string_view text) { return std::string(text); }

// Uses links such as "0-1 1-0": source-target.
std::string placed(std::string_view line, const std::string& translation, std::vector<std::pair<int, int>> links) {
  const MarkedLine marked(parts_of(line));
  std::vector<std::string> source, target;
  for (const std::string_view word : words(marked.text())) source.emplace_back(word);
  for (const std::string_view word : words(translation)) target.emplace_back(word);
  return marked.placed(translation, {source, target, links}, as_it_is);
}

std::string in_order(std::string_view line) {
  const std::string text = text_of(line);
  std::vector<std::pair<int, int>> links;
  for (int i = 0; i < static_cast<int>(words(text).size()); ++i) links.emplace_back(i, i);
  return placed(line, text, links);
}

TEST(MarkedLine, TextHasNoMarkupAndSingleBlanks) {
  EXPECT_EQ(text_of(" a <b>big\n </b> dog {x}"), "a big dog");
  EXPECT_EQ(text_of("Hello {name}, you"), "Hello, you");
  EXPECT_EQ(text_of("H<sub>2</sub>O"), "H2O");
  EXPECT_EQ(text_of("a<x/> b"), "a b");
  EXPECT_EQ(text_of("{x}"), "");
}

TEST(MarkedLine, ComesBackAsItWasWhereNothingMoves) {
  for (const char* line : {"a <b>big</b> dog",
                           "<b>a</b>",
                           "{x} a dog",
                           "a dog {x}",
                           "a {x} dog",
                           "a dog{x}.",
                           "a {x}dog",
                           "<a><i></i> A dog</a>",
                           "<a>A dog <i></i></a> runs",
                           "Hello {name}, you",
                           "{a} {b} dog",
                           "<a><i></i></a> A dog",
                           "H<sub>2</sub>O is <i>wet</i>",
                           "un<b>do</b> it",
                           "a <b>dog</b>, a <i>cat</i>.",
                           "(<b>dog</b>)",
                           "<b>Dog.</b> Cat",
                           "press <x/> to {a}",
                           "a <b>{x} dog</b>",
                           "<b>a <i>dog</i></b> runs",
                           "<i>狗</i>在<b>跑</b>",
                           "\"<b>a</b>\" dog",
                           " a ",
                           "a {x}: {y} b",
                           "<b>a</b>{x} dog",
                           "a {x}<b>dog</b>",
                           "a {x} <b>dog</b>"})
    EXPECT_EQ(in_order(line), line);
}

TEST(MarkedLine, ElementsFollowTheirWords) {
  EXPECT_EQ(placed("a <b>big</b> dog", "dog big a", {{2, 0}, {1, 1}, {0, 2}}), "dog <b>big</b> a");
  EXPECT_EQ(placed("a <b>big <i>red</i></b> dog", "big red a dog", {{1, 0}, {2, 1}, {0, 2}, {3, 3}}),
            "<b>big <i>red</i></b> a dog");
  EXPECT_EQ(placed("<b>big</b> <i>red</i> dog", "red big dog", {{1, 0}, {0, 1}, {2, 2}}), "<i>red</i> <b>big</b> dog");
  EXPECT_EQ(placed("<b>dog</b> that", "Hund, der", {{0, 0}, {1, 1}}), "<b>Hund</b>, der");
  EXPECT_EQ(placed("A <b>dog</b>.", "Ein Hund.", {{0, 0}, {1, 1}}), "Ein <b>Hund</b>.");
}

TEST(MarkedLine, AnElementOccursOnce) {
  EXPECT_EQ(placed("<b>big red</b> dog", "big dog red", {{0, 0}, {2, 1}, {1, 2}}), "<b>big dog red</b>");
  EXPECT_EQ(placed("<b>big red</b> <i>dog</i>", "big dog red", {{0, 0}, {2, 1}, {1, 2}}), "<b>big</b> <i>dog</i> red");
  EXPECT_EQ(placed("<b>big red old</b> dog", "big red x y z old", {{0, 0}, {1, 1}, {3, 2}, {3, 3}, {3, 4}, {2, 5}}),
            "<b>big red</b> x y z old")
      << "one word that lies far away";
  EXPECT_EQ(placed("a <b>big</b> dog", "a dog", {{0, 0}, {2, 1}}), "a<b></b> dog") << "no word came from it";
}

TEST(MarkedLine, AnElementWithoutAWordTakesTheOneThatItIsNearestTo) {
  const MarkedLine line(parts_of("a <b>big</b> dog"));
  const std::vector<std::string> source{"a", "big", "dog"}, target{"ein", "Riesenhund"};
  const std::vector<std::pair<int, int>> links{{0, 0}, {2, 1}};
  const auto weight = [](std::size_t t, std::size_t s) { return t == 1 && s == 1 ? 0.4 : 0.0; };
  EXPECT_EQ(line.placed("ein Riesenhund", {source, target, links, weight}, as_it_is), "ein <b>Riesenhund</b>");
}

TEST(MarkedLine, PointsStayWithTheirNeighbor) {
  EXPECT_EQ(placed("We visited {Green Park} today", "Wir haben heute besucht", {{0, 0}, {1, 1}, {2, 2}, {1, 3}}),
            "Wir haben heute besucht {Green Park}");
  EXPECT_EQ(placed("from {0} to {1} he ran", "er lief von bis", {{2, 0}, {3, 1}, {0, 2}, {1, 3}}),
            "er lief von {0} bis {1}");
  EXPECT_EQ(placed("the <b>dog</b><x/> ran", "es lief der Hund", {{2, 0}, {2, 1}, {0, 2}, {1, 3}}),
            "es lief der <b>Hund</b><x/>");
  EXPECT_EQ(placed("<a><x/> A dog</a> runs", "Es läuft ein Hund", {{2, 0}, {2, 1}, {0, 2}, {1, 3}}),
            "Es läuft <a><x/> ein Hund</a>");
  EXPECT_EQ(placed("Hello {name}, you", "Du, hallo", {{1, 0}, {0, 1}}), "Du, hallo {name}");
}

TEST(MarkedLine, ATagInAWordKeepsItsCharacters) {
  EXPECT_EQ(placed("H<sub>2</sub>O is wet", "nass ist H2O", {{2, 0}, {1, 1}, {0, 2}}), "nass ist H<sub>2</sub>O");
  EXPECT_EQ(placed("un<b>do</b> it", "it undone", {{1, 0}, {0, 1}}), "it un<b>do</b>ne");
  EXPECT_EQ(placed("un<b>do</b> it", "mach rückgängig", {{1, 0}, {0, 1}}), "mach <b>rückgängig</b>");
}

TEST(MarkedLine, LineBreaksStayAtTheSamePart) {
  EXPECT_EQ(placed("one two|three four", "four three two one", {{3, 0}, {2, 1}, {1, 2}, {0, 3}}), "four three|two one");
  EXPECT_EQ(placed("one two|three four", "一二三四", {}), "一二|三四");
}

TEST(MarkedLine, NoLinksOrThoseOfOtherTexts) {
  EXPECT_EQ(placed("a <b>dog</b>", "ein Hund", {}), "ein <b>Hund</b>");
  const MarkedLine line(parts_of("a <b>dog</b>"));
  EXPECT_EQ(line.placed("ein Hund", {}, as_it_is), "ein <b>Hund</b>");
  EXPECT_EQ(line.placed("", {}, as_it_is), "<b></b>");
}

// Whatever the alignment, every tag occurs once, properly nested, and the text is the
// translation's.
TEST(MarkedLine, LosesNothingWhateverTheLinks) {
  const std::string line =
      "{p} a <b>big <i>red</i> {q}</b> H<sub>2</sub>O <u>dog</u><x/> and|<s>one <em>old</em></s>, cat {r}";
  const std::string translation = "eine alte, Katze und ein großer roter Hund H2O!";
  std::uint32_t state = 1;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::pair<int, int>> links;
    for (int t = 0; t < 9; ++t)
      if ((state = state * 1664525 + 1013904223) >> 28 != 0) links.emplace_back(static_cast<int>((state >> 16) % 9), t);
    std::string html = placed(line, translation, links);
    std::vector<std::string> open;
    std::string text;
    int points = 0;
    for (const LinePart& part : parts_of(html)) {
      if (part.kind == PartKind::text) text += part.content;
      if (part.kind == PartKind::open) open.push_back("</" + part.content.substr(1));
      if (part.kind == PartKind::close) {
        ASSERT_FALSE(open.empty()) << html;
        ASSERT_EQ(open.back(), part.content) << html;
        open.pop_back();
      }
      points += part.kind == PartKind::point || part.kind == PartKind::line_break || part.kind == PartKind::close;
    }
    ASSERT_EQ(points, 5 + 6) << html;
    std::erase(text, ' ');
    std::string wanted = translation;
    std::erase(wanted, ' ');
    ASSERT_EQ(text, wanted) << html;
  }
}

TEST(MarkedLine, RefusesWhatIsNotPaired) {
  EXPECT_ANY_THROW(MarkedLine(parts_of("a</b>")));
  EXPECT_ANY_THROW(MarkedLine(parts_of("<b>a")));
}

// Models often link a placeholder's brackets to no word, or to the word before.
TEST(MarkedLine, WhatStoodBetweenMarksStaysThere) {
  EXPECT_EQ(placed("a ({x}), b", "A (), B", {{0, 0}, {2, 2}}), "A ({x}), B");
  EXPECT_EQ(placed("a ({x}) b", "B () A", {{2, 0}, {0, 1}, {0, 2}}), "B ({x}) A");
  EXPECT_EQ(placed("a <b>({x})</b> b", "A () B", {{0, 0}, {2, 2}}), "A <b>({x})</b> B");
  EXPECT_EQ(placed("a ({x}) b ({y}) c", "C () B () A", {{4, 0}, {2, 2}, {0, 4}}), "C ({x}) B ({y}) A");
  EXPECT_EQ(placed("\u0E2B\u0E21\u0E32 \u00AB{x}\u00BB", "\u00AB\u00BB dog", {{0, 1}}), "\u00AB{x}\u00BB dog");
}

}  // namespace
}  // namespace hexapla::text
