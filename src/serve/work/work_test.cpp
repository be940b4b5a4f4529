// Tests of the code between requests and models: limits, cache, texts of several lines.
#include <gmock/gmock.h>

#include "base/error.h"
#include "serve/http/message.h"
#include "serve/work/api_keys.h"
#include "serve/work/chained_alignment.h"
#include "serve/work/translation_cache.h"
#include "serve/work/waiting_lines.h"
#include "text/document/text/text_lines.h"

namespace hexapla::serve {
namespace {

using std::chrono::seconds;

TEST(MinuteLimit, GivesBackWithTime) {
  const auto start = MinuteLimit::Clock::now();
  MinuteLimit limit(2, start);
  EXPECT_EQ(limit.take(start), 0);
  EXPECT_EQ(limit.take(start), 0);
  EXPECT_NEAR(limit.take(start), 30, 1e-6);
  EXPECT_NEAR(limit.take(start + seconds(10)), 20, 1e-6);
  EXPECT_EQ(limit.take(start + seconds(31)), 0);
  EXPECT_FALSE(limit.full(start + seconds(60)));
  EXPECT_TRUE(limit.full(start + seconds(600)));
  EXPECT_EQ(limit.take(start + seconds(600)), 0);
  EXPECT_EQ(limit.take(start + seconds(600)), 0);
  EXPECT_GT(limit.take(start + seconds(600)), 0) << "never more than two at once";
}

TEST(MinuteLimit, GivesNoMoreThanSixtyOrTwoSecondsAtOnce) {
  const auto start = MinuteLimit::Clock::now();
  for (const auto& [per_minute, at_once] : {std::pair{60, 60}, {600, 60}, {6000, 200}}) {
    MinuteLimit limit(per_minute, start);
    for (int i = 0; i < at_once; ++i) ASSERT_EQ(limit.take(start), 0) << per_minute << " " << i;
    EXPECT_NEAR(limit.take(start), 60.0 / per_minute, 1e-6);
  }
}

TEST(WaitingLines, HasSoManyPlaces) {
  WaitingLines lines(3);
  auto two = lines.enter(2);
  const auto status = [&](std::size_t n) {
    try {
      lines.enter(n);
    } catch (const HttpError& e) {
      return e.status;
    }
    return 200;
  };
  EXPECT_EQ(status(1), 200);
  EXPECT_EQ(status(2), 503);
  EXPECT_EQ(status(4), 413);
  EXPECT_EQ(lines.now(), 2u);
  two.reset();
  EXPECT_EQ(status(3), 200);
  lines.wait_until_empty();
}

PendingTranslation::Lines upper(const std::vector<std::string>& lines) {
  PendingTranslation::Lines found;
  for (const std::string& line : lines) {
    Translation best, second;
    best.text = "<" + line + ">", second.text = "(" + line + ")";
    found.push_back({best, second});
  }
  return found;
}

// "two cats" -> "zwei Katzen" -> "chats deux": multiplies both matrices.
TEST(ChainedAlignment, LeadsThroughTheWordsBetween) {
  const auto matrix = [](std::size_t rows, std::vector<double> values) {
    return Matrix{rows, values.size() / rows, std::move(values)};
  };
  const Alignment first{
      {"two", "cats"}, {"zwei", "Katzen"}, matrix(3, {.9, .1, 0, .2, .7, .1, 0, 0, 1}), {{0, 0}, {1, 1}}};
  const Alignment second{
      {"zwei", "Katzen"}, {"chats", "deux"}, matrix(3, {.1, .9, 0, .8, .2, 0, 0, 0, 1}), {{1, 0}, {0, 1}}};
  const Alignment whole = chained(first, second);
  EXPECT_EQ(whole.source_words, first.source_words);
  EXPECT_EQ(whole.target_words, second.target_words);
  EXPECT_EQ(whole.links, (std::vector<std::pair<int, int>>{{1, 0}, {0, 1}}));
  EXPECT_NEAR(whole.weights(0, 1), .1 * .1 + .9 * .7, 1e-12);
  Alignment other = second;
  other.source_words = {"zwei", "Hunde"};
  EXPECT_TRUE(chained(first, other).links.empty()) << "of other words nothing is known";
}

TEST(TextLines, PutsTextsTogetherAgain) {
  const text::document::TextLines lines({"a\r\n\n b\n...😀\n😀", "", "c"});
  EXPECT_THAT(lines.lines(), testing::ElementsAre("a", "b", "...😀", "c"));
  const auto found = upper(lines.lines());
  EXPECT_EQ(lines.joined(0, found, 0), "<a>\r\n\n <b>\n<...😀>\n😀");
  EXPECT_EQ(lines.joined(1, found, 0), "");
  EXPECT_EQ(lines.joined(2, found, 1), "(c)");
  EXPECT_EQ(lines.joined(2, found, 5), "(c)");
  EXPECT_EQ(lines.ranks(0, found), 2u);
  EXPECT_EQ(lines.ranks(1, found), 0u);
}

TEST(TranslationCache, KeepsWhatWasAskedForLast) {
  TranslationCache cache(20'000);
  const auto texts = [](const std::string& text) {
    Translation t;
    t.text = text;
    return std::vector<Translation>{t};
  };
  for (int i = 0; i < 200; ++i) {
    cache.keep("x", std::to_string(i), texts("t" + std::to_string(i)));
    ASSERT_TRUE(cache.find("x", "0")) << i;
    EXPECT_LE(cache.bytes(), 20'000u);
  }
  EXPECT_EQ(cache.find("x", "199")->front().text, "t199");
  EXPECT_FALSE(cache.find("x", "1"));
  EXPECT_FALSE(cache.find("y", "0"));
  cache.keep("x", "long", texts(std::string(2000, 'a')));
  EXPECT_FALSE(cache.find("x", "long"));
  TranslationCache off(0);
  EXPECT_FALSE(off.on());
}

TEST(TranslationCache, TellsOptionsApart) {
  TranslatorOptions a, b;
  EXPECT_EQ(TranslationCache::context_of({1}, a), TranslationCache::context_of({1}, b));
  EXPECT_NE(TranslationCache::context_of({1}, a), TranslationCache::context_of({2}, b));
  a.length_penalty = 0.6, b.length_penalty = 0.6 + 1e-12;
  EXPECT_NE(TranslationCache::context_of({1}, a), TranslationCache::context_of({1}, b));
  b = a;
  b.alignment = "words";
  EXPECT_NE(TranslationCache::context_of({1}, a), TranslationCache::context_of({1}, b));
  b.sample = true;
  EXPECT_FALSE(TranslationCache::context_of({1}, b));
}

}  // namespace
}  // namespace hexapla::serve
