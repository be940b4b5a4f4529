// Compares everything in src/core/evaluate with the results of sacreBLEU and Python
// (tests/fixtures/bleu.json, written by scripts/fixtures/make_bleu_fixture.py).
#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "base/test_paths.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/chrf.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

using nlohmann::json;
using Strings = std::vector<std::string>;

const json& fixture() {
  static const json data = [] {
    std::ifstream in(source_path("tests/fixtures/bleu.json"));
    return json::parse(in);
  }();
  return data;
}

void expect_bleu(const json& corpus, const char* key, const BleuOptions& options) {
  SCOPED_TRACE(corpus["name"].get<std::string>() + " " + key);
  const json& expected = corpus[key];
  const BleuScore score =
      corpus_bleu(corpus["hypotheses"].get<Strings>(), corpus["references"].get<Strings>(), options);
  EXPECT_NEAR(score.score, expected["score"].get<double>(), 1e-9);
  EXPECT_NEAR(score.brevity_penalty, expected["bp"].get<double>(), 1e-12);
  EXPECT_EQ(score.hypothesis_length, expected["hyp_len"].get<int64_t>());
  EXPECT_EQ(score.reference_length, expected["ref_len"].get<int64_t>());
  for (size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(score.matches[n], expected["counts"][n].get<int64_t>()) << n + 1 << "-grams";
    EXPECT_EQ(score.totals[n], expected["totals"][n].get<int64_t>()) << n + 1 << "-grams";
    EXPECT_NEAR(score.precisions[n], expected["precisions"][n].get<double>(), 1e-9) << n + 1 << "-grams";
  }
}

void expect_chrf(const json& corpus) {
  SCOPED_TRACE(corpus["name"].get<std::string>());
  const json& expected = corpus["chrf"];
  const Chrf chrf;
  const Strings references = corpus["references"];
  const MetricStatistics sums = sum(sentence_statistics(chrf, corpus["hypotheses"].get<Strings>(), {&references, 1}));
  EXPECT_NEAR(chrf.score(sums), expected["score"].get<double>(), 1e-9);
  for (size_t n = 0; n < 6; ++n) {
    EXPECT_EQ(sums[3 * n], expected["hyp"][n].get<double>()) << n + 1 << "-grams";
    EXPECT_EQ(sums[3 * n + 1], expected["ref"][n].get<double>()) << n + 1 << "-grams";
    EXPECT_EQ(sums[3 * n + 2], expected["match"][n].get<double>()) << n + 1 << "-grams";
  }
}

TEST(SacreBleu, FixtureIsThere) { ASSERT_GE(fixture()["corpora"].size(), 20u); }

TEST(SacreBleu, Bleu) {
  for (const json& corpus : fixture()["corpora"]) expect_bleu(corpus, "bleu", {});
}

TEST(SacreBleu, BleuLowercased) {
  for (const json& corpus : fixture()["corpora"]) expect_bleu(corpus, "bleu_lc", {.lowercase = true});
}

TEST(SacreBleu, Chrf) {
  for (const json& corpus : fixture()["corpora"]) expect_chrf(corpus);
}

TEST(SacreBleu, Tokens13a) {
  for (const json& pair : fixture()["tokens"]) {
    EXPECT_EQ(tokenize_13a(pair[0].get<std::string>()), pair[1].get<Strings>()) << pair[0];
  }
}

TEST(SacreBleu, TextOfTheScore) {
  for (const json& corpus : fixture()["corpora"]) {
    const auto score = corpus_bleu(corpus["hypotheses"].get<Strings>(), corpus["references"].get<Strings>());
    EXPECT_EQ(score.text(), corpus["bleu"]["text"].get<std::string>());
  }
}

TEST(PythonStr, LowerOfWords) {
  for (const json& pair : fixture()["lower"]) {
    EXPECT_EQ(lower(pair[0].get<std::string>()), pair[1].get<std::string>()) << pair[0];
  }
}

TEST(PythonStr, LowerOfEveryCharacter) {
  const auto upper = code_points(fixture()["case"]["characters"].get<std::string>());
  const auto one_to_one = code_points(fixture()["case"]["one_to_one"].get<std::string>());
  const json& longer = fixture()["case"]["lowered"];
  size_t one = 0, many = 0;
  for (const char32_t c : upper) {
    const std::string lowered = lower(to_utf8({&c, 1}));
    if (code_points(lowered).size() == 1) {
      ASSERT_LT(one, one_to_one.size());
      EXPECT_EQ(lowered, to_utf8({&one_to_one[one++], 1})) << std::hex << static_cast<uint32_t>(c);
    } else {
      ASSERT_LT(many, longer.size());
      EXPECT_EQ(lowered, longer[many++].get<std::string>());
    }
  }
  EXPECT_EQ(one, one_to_one.size());
  EXPECT_EQ(many, longer.size());
  for (char32_t c = 0; c < 0x2E80; ++c) {  // nothing else changes, at least in European scripts
    if (upper.find(c) == std::u32string::npos) {
      EXPECT_EQ(lower(to_utf8({&c, 1})), to_utf8({&c, 1})) << std::hex << static_cast<uint32_t>(c);
    }
  }
}

TEST(PythonStr, Spaces) {
  std::vector<uint32_t> spaces;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (is_space(c)) spaces.push_back(c);
  }
  EXPECT_EQ(spaces, fixture()["spaces"].get<std::vector<uint32_t>>());
}

}  // namespace
}  // namespace hexapla::evaluate
