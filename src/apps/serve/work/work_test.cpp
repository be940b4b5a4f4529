// Tests of the code between requests and models: limits, cache, texts of several lines.
#include <gmock/gmock.h>

#include <fstream>
#include <latch>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "documents/text/text_lines.h"
#include "serve/http/message.h"
#include "serve/work/api_keys.h"
#include "serve/work/chained_alignment.h"
#include "serve/work/log_queue.h"
#include "serve/work/translation_cache.h"
#include "serve/work/waiting_lines.h"

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

using KeyFile = TestFolder;

// A line of any bytes is a key as a whole (here without limits after it), or it is refused with its number.
TEST_F(KeyFile, HasWholeKeysOrRefusesTheLine) {
  Random random(1);
  const std::vector<std::string> parts{"#", " ", "\t", "s", "kJ39", "ä", "\"", "\\", ",", "=", "\xFF", "\x01", "\x7F"};
  std::size_t whole = 0, refused = 0;
  for (int i = 0; i < 500; ++i) {
    std::string key;
    for (std::uint32_t n = 1 + random.below(4); n > 0; --n) key += parts[random.below(std::uint32_t(parts.size()))];
    const std::size_t first = key.find_first_not_of(" \t");
    if (first == key.npos || key[first] == '#') continue;  // blank, or a comment
    std::ofstream(at("keys")) << "# comment\nfirst 10\n\n" << key << "\n";
    key = key.substr(first, key.find_last_not_of(" \t") + 1 - first);
    try {
      ApiKeys keys(at("keys"), 0);
      EXPECT_FALSE(keys.refusal_of_key(key, "a")) << key;
      for (std::size_t n = 1; n < key.size(); ++n) EXPECT_TRUE(keys.refusal_of_key(key.substr(0, n), "a")) << key;
      ++whole;
    } catch (const DataError& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("keys:4: "));
      EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr("kJ39"))) << "a part of a key";
      ++refused;
    }
  }
  EXPECT_GT(whole, 50u);
  EXPECT_GT(refused, 50u);
}

TEST_F(KeyFile, KnowsItsForms) {
  std::ofstream(at("keys")) << "\xEF\xBB\xBF"
                            << "first\r\ns#kJ39 7 5\r\n  # comment\r\n";
  ApiKeys keys(at("keys"), 0);
  EXPECT_EQ(keys.admit_key("first", "a"), std::nullopt) << "no byte order mark belongs to it";
  EXPECT_EQ(keys.admit_key("s#kJ39", "a"), 5u);
  EXPECT_THROW(keys.admit_key("s", "a"), HttpError);
  for (const char* line : {"s #kJ39", "s 60 # a comment", "s 60 5 x", "s -1", "s 60 0", "my key"}) {
    std::ofstream(at("keys")) << line << "\n";
    EXPECT_THROW(ApiKeys(at("keys"), 0), DataError) << line;
  }
}

// A reader that is stuck holds up nobody: lines are written in order, or counted as dropped, and the log tells so.
TEST(LogQueue, NobodyWaitsForIt) {
  const auto written = std::make_shared<std::vector<std::string>>();
  const auto freed = std::make_shared<std::latch>(1);
  std::uint64_t dropped = 0, told = 0, kept = 0;
  constexpr std::uint64_t lines = 20'000;
  {
    LogQueue log([written, freed](const std::string& line) {
      freed->wait();
      written->push_back(line);
    });
    for (std::uint64_t i = 0; i < lines; ++i) log.add(cat(i, std::string(1000, ' ')));
    dropped = log.dropped();
    freed->count_down();
  }
  EXPECT_GT(dropped, lines / 4) << "24 MB came, 8 MiB wait at most, and 8 MiB are being written";
  std::int64_t last = -1;
  for (const std::string& line : *written) {
    const nlohmann::json note = json_or_null(line);
    if (note.is_object()) {
      told += std::stoull(note.value("message", ""));
    } else {
      EXPECT_GT(std::stoll(line), std::exchange(last, std::stoll(line)));
      ++kept;
    }
  }
  EXPECT_EQ(told, dropped);
  EXPECT_EQ(kept, lines - dropped);
}

TEST(LogQueue, IsLeftAloneWhenItIsStuck) {
  const auto freed = std::make_shared<std::latch>(1), done = std::make_shared<std::latch>(1);
  {
    LogQueue log([freed, done](const std::string&) {
      freed->wait();
      done->count_down();
    });
    log.add("a");
  }
  freed->count_down();
  done->wait();
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
