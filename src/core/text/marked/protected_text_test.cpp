// Protected text occurs once in the translation, next to its neighbor.
#include "text/marked/protected_text.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "text/words.h"

namespace hexapla::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Protection usual(true, {});

std::vector<std::string> parts(std::string_view text, const std::vector<TokenSpan>& spans) {
  std::vector<std::string> all;
  for (const TokenSpan& span : spans) all.emplace_back(text.substr(span.from, span.to - span.from));
  return all;
}
std::vector<std::string> protected_in(const std::string& line, const Protection& by = usual,
                                      const std::vector<std::string>& unknown = {}) {
  std::vector<TokenSpan> lacking;
  for (const std::string& what : unknown) lacking.push_back({line.find(what), line.find(what) + what.size()});
  return parts(line, by.find(line, lacking));
}
std::string seen(const std::string& line) { return ProtectedText(line, usual.find(line, {})).text(); }

std::vector<std::string> strings(const std::string& text) {
  const auto all = words(text);
  return {all.begin(), all.end()};
}

using Links = std::vector<std::pair<int, int>>;
std::string translated(const std::string& line, const std::string& translation, const Links& links,
                       std::vector<TokenSpan> solid = {}, const std::string& given = "") {
  const ProtectedText text(line, usual.find(line, {}));
  const auto source = strings(text.text()), target = strings(translation);
  std::vector<TokenSpan> tokens;
  for (const std::string_view word : words(translation)) {
    const auto from = static_cast<size_t>(word.data() - translation.data());
    tokens.push_back({from, from + word.size()});
  }
  const auto r = text.restored(translation, tokens, {source, target, links, {}}, std::move(solid), given);
  if (!translation.ends_with('.')) {
    EXPECT_EQ(parts(r.text, r.tokens), target) << "tokens move along";
  }
  if (given.empty()) {
    EXPECT_EQ(parts(r.text, r.spans), parts(line, text.spans()));
  }
  return r.text;
}

TEST(Protection, TakesBracketsAndQuotesAlong) {
  EXPECT_THAT(protected_in("the file \"{0}\" (see {1}) and ({2})."), ElementsAre("\"{0}\"", "{1}", "({2})"));
  EXPECT_THAT(protected_in("<https://a.b/c> is new"), ElementsAre("<https://a.b/c>"));
}

TEST(Protection, OfASentenceWithoutWordsIsWhole) {
  EXPECT_THAT(protected_in("Look at this. (https://a.b/c), {0}! It runs."), ElementsAre("(https://a.b/c), {0}!"));
  EXPECT_THAT(protected_in(" {0}: {1}. "), ElementsAre("{0}: {1}."));
  EXPECT_THAT(protected_in("{0}: 5"), ElementsAre("{0}"));
}

TEST(Protection, OfWhatTheVocabularyLacks) {
  EXPECT_THAT(protected_in("see \u0160\u00E1rka\u2019s dog", usual, {"\u0160"}), ElementsAre("\u0160\u00E1rka"));
  EXPECT_THAT(protected_in("don\u2019t", usual, {"\u2019"}), IsEmpty()) << "a mark in a word";
  EXPECT_THAT(protected_in("\u201Ca dog\u201D", usual, {"\u201C", "\u201D"}), ElementsAre("\u201C", "\u201D"));
  EXPECT_THAT(protected_in("\u4ED6\u53EB\u738B\u5586\u5728", usual, {"\u5586"}), ElementsAre("\u5586"));
  EXPECT_THAT(protected_in("\u4E00\u4E2A\u3002 a dog \u061F", usual, {"\u4E00\u4E2A\u3002", "\u061F"}),
              ElementsAre("\u4E00\u4E2A\u3002"))
      << "a sentence of nothing else; a stop is none";
  EXPECT_THAT(protected_in("a \u0160 b", Protection(false, {}), {"\u0160"}), IsEmpty());
}

TEST(Protection, ByPatternsOfTheUser) {
  const std::vector<std::string> patterns{"ACME-\\d+", "\\bGreen Park\\b", "\\p{Thai}+"};
  EXPECT_THAT(protected_in("ACME-12 in Green Park {0} \u0E2B\u0E21\u0E32 Green Parks", Protection(false, patterns)),
              ElementsAre("ACME-12", "Green Park", "\u0E2B\u0E21\u0E32"));
  EXPECT_THAT(protected_in("ACME-12{0} a", Protection(true, patterns)), ElementsAre("ACME-12{0}"));
}

TEST(Protection, RefusesPatternsThatAreWrong) {
  for (const std::string bad : {"(", "a*", "", "\\1", "(?=a)", "[", "\xff"}) try {
      Protection(true, std::vector{bad});
      ADD_FAILURE() << bad;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr("`protect-pattern`"));
      EXPECT_EQ(e.option(), "protect-pattern");
    }
}

// A backtracking engine takes years.
TEST(Protection, IsAsFastWhateverThePattern) {
  const Protection slow(false, std::vector<std::string>{"(a+)+$", "(a|aa)+b"});
  EXPECT_THAT(protected_in(std::string(5000, 'a') + "c", slow), IsEmpty());
}

TEST(ProtectedText, IsTheLineWithoutIt) {
  EXPECT_EQ(seen("Hello {0}, you have {1} messages."), "Hello, you have messages.");
  EXPECT_EQ(seen("\u70B9\u51FB{0}\u7EE7\u7EED"), "\u70B9\u51FB\u7EE7\u7EED");
  EXPECT_EQ(seen("{0} runs"), "runs");
  EXPECT_EQ(seen("plain"), "plain");
}

TEST(ProtectedText, GoesAlongWithItsNeighbor) {
  EXPECT_EQ(translated("Hello {0}, you", "Du, hallo", {{1, 0}, {0, 1}}), "Du, hallo {0}");
  EXPECT_EQ(translated("{0} runs", "l\u00E4uft", {{0, 0}}), "{0} l\u00E4uft");
  EXPECT_EQ(translated("runs to {0}.", "l\u00E4uft nach.", {{0, 0}, {1, 1}}), "l\u00E4uft nach {0}.");
  EXPECT_EQ(translated("a {0} dog", "", {}), "{0}") << "an empty translation";
  EXPECT_EQ(translated("a {0} b {1} c", "x", {{0, 0}}), "x {0} {1}");
}

TEST(ProtectedText, HasBlanksWhereTheScriptHasThem) {
  EXPECT_EQ(translated("\u70B9\u51FB{0}\u7EE7\u7EED", "Click to go", {{1, 0}, {2, 1}, {3, 2}}), "Click {0} to go");
  EXPECT_EQ(translated("Click {0} now", "\u70B9\u51FB\u7EE7\u7EED", {{0, 0}, {0, 1}, {1, 2}, {1, 3}}),
            "\u70B9\u51FB{0}\u7EE7\u7EED");
  EXPECT_EQ(translated("open{0}now", "\u0E40\u0E1B\u0E34\u0E14", {}), "\u0E40\u0E1B\u0E34\u0E14{0}");
}

TEST(ProtectedText, LeavesTogetherWhatStaysTogether) {
  EXPECT_EQ(translated("{0} big {1} dog", "der gro\u00DFe Hund l\u00E4uft", {{0, 1}, {1, 2}}, {{0, 15}}),
            "der gro\u00DFe Hund {0} {1} l\u00E4uft");
  EXPECT_EQ(translated("a {0} dog", "ein Hund", {{0, 0}, {1, 1}}, {{4, 8}}), "ein {0} Hund") << "beside it";
  EXPECT_EQ(translated("a {0} {1} dog", "ein {1} Hund", {{0, 0}, {1, 2}}, {}, "ein {1}"), "ein {0} {1} Hund");
}

TEST(ProtectedText, IsFoundInATranslationThatHasIt) {
  const std::string line = "@john and @johnny {0} {0}";
  const ProtectedText text(line, usual.find(line, {}));
  const std::string other = "{0} @johnny @john {0}";
  const auto all = text.find_in(other);
  ASSERT_TRUE(all);
  EXPECT_EQ(parts(other, *all), parts(line, text.spans()));
  EXPECT_FALSE(text.find_in("@johnny {0} {0}"));
  EXPECT_FALSE(text.find_in("@johnny @john {0}"));
}

TEST(MaskedLine, IsTheLineAgain) {
  const std::string line = "Visit https://a.b/c. \uFDD0 Go {0} now.";
  const MaskedLine masked(line, usual.find(line, {}));
  EXPECT_EQ(masks_of(masked.text()).size(), 3u);
  EXPECT_EQ(masked.unmasked({0, masked.text().size()}).first, line);
  const size_t go = masked.text().find("Go");
  const auto [text, spans] = masked.unmasked({go, masked.text().size()});
  EXPECT_EQ(text, "Go {0} now.");
  EXPECT_EQ(parts(text, spans), std::vector<std::string>{"{0}"});
}

}  // namespace
}  // namespace hexapla::text
