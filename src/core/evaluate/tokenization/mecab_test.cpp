// Compares BLEU's Japanese and Korean words with sacreBLEU's
// (scripts/fixtures/make_mecab_fixture.py).
#include "evaluate/tokenization/mecab.h"
#include "base/json.h"

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/test_paths.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/tokenization/choose_tokenizer.h"

namespace hexapla::evaluate {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using Strings = std::vector<std::string>;

json language(const std::string& tokenizer) {
  std::ifstream in(source_path("tests/fixtures/mecab.json"));
  const json all = json::parse(in);
  for (const json& one : all["languages"])
    if (one["tokenizer"] == tokenizer) return one;
  throw std::runtime_error("the fixture has nothing of " + tokenizer);
}

class MecabTest : public testing::TestWithParam<const char*> {};

TEST_P(MecabTest, IsThatOfSacreBleu) {
  const std::string name = GetParam();
  if (const std::string missing = missing_for(name); !missing.empty()) GTEST_SKIP() << missing;
  const json expected = language(name);
  const Tokenize tokenize = bleu_tokenizer(name);
  for (const json& pair : expected["tokens"])
    EXPECT_EQ(tokenize(pair[0].get<std::string>()), pair[1].get<Strings>()) << pair[0];
  const BleuScore score =
      corpus_bleu(expected["hypotheses"].get<Strings>(), expected["references"].get<Strings>(), {.tokenize = name});
  EXPECT_NEAR(score.score, expected["score"].get<double>(), 1e-9);
  for (size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(score.matches[n], expected["counts"][n].get<int64_t>());
    EXPECT_EQ(score.totals[n], expected["totals"][n].get<int64_t>());
  }
  EXPECT_THAT(score.signature, HasSubstr("|tok:" + expected["signature"].get<std::string>() + "|"));
}

TEST_P(MecabTest, SaysWhatIsMissing) {
  const std::string name = GetParam();
  if (missing_for(name).empty()) GTEST_SKIP() << "nothing is missing for " << name;
  try {
    bleu_tokenizer(name);
    FAIL() << "no error";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr(name + " needs a "), HasSubstr("HEXAPLA_MECAB_DICTIONARY")));
  }
}

TEST_P(MecabTest, ServesSeveralThreads) {
  const std::string name = GetParam();
  if (const std::string missing = missing_for(name); !missing.empty()) GTEST_SKIP() << missing;
  const json expected = language(name)["tokens"];
  const Tokenize tokenize = bleu_tokenizer(name);
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& count : wrong)
    threads.emplace_back([&] {
      for (const json& pair : expected) count += tokenize(pair[0].get<std::string>()) != pair[1].get<Strings>();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

INSTANTIATE_TEST_SUITE_P(Languages, MecabTest, testing::Values("ja-mecab", "ko-mecab"),
                         [](const auto& test) { return std::string(test.param).substr(0, 2); });

TEST(TokenizerFor, TheScriptOfTheReferences) {
  const auto name = [](const Strings& lines) { return tokenizer_for(lines).name; };
  EXPECT_EQ(name({"A dog runs.", "Ein Hund läuft über die Straße."}), "13a");
  EXPECT_EQ(name({"Собака бежит.", "الكلب يجري", "कुत्ता दौड़ता है।"}), "13a");
  EXPECT_EQ(name({"狗在公园里跑。", "他说：“你好，Bob！”"}), "zh");
  EXPECT_EQ(name({"狗在公園裡跑，很快の樣子，買了一臺蘋果電腦。"}), "zh") << "one kana does not make it Japanese";
  EXPECT_EQ(name({"他买了 iPhone 15 Pro Max。"}), "13a") << "most of it is not Chinese";
  EXPECT_EQ(name({"我用 iPhone 给妈妈打电话。"}), "zh");
  EXPECT_EQ(name({"สุนัขวิ่งในสวน", "ฉันรักเธอ"}), "char");
  EXPECT_EQ(name({"ឆ្កែរត់នៅក្នុងសួន"}), "char");
  EXPECT_EQ(name({"ໝາແລ່ນຢູ່ໃນສວນ"}), "char");
  EXPECT_EQ(name({"ခွေးသည် ပန်းခြံထဲတွင် ပြေးနေသည်။"}), "char");
  EXPECT_EQ(name({}), "13a");
  EXPECT_EQ(name({"2026-08-28", "12:30"}), "13a");
  EXPECT_EQ(name({"犬が公園を走っている。"}), missing_for("ja-mecab").empty() ? "ja-mecab" : "char");
  EXPECT_EQ(name({"개가 공원에서 달린다."}), missing_for("ko-mecab").empty() ? "ko-mecab" : "13a");
}

TEST(TokenizerFor, SaysWhyAndWhatIsMissing) {
  const Strings german{"Ein Hund läuft."}, chinese{"狗在跑。"}, japanese{"犬が走っている。"};
  EXPECT_THAT(text_of(tokenizer_for(german)), IsEmpty());
  EXPECT_EQ(text_of(tokenizer_for(chinese)), "the references are Chinese, so BLEU uses the tokenizer zh");
  EXPECT_THAT(text_of({"char", "Japanese", "ja-mecab needs a library"}),
              HasSubstr("tokenizer char; ja-mecab needs a library"));
  EXPECT_THAT(text_of(tokenizer_for(japanese)), HasSubstr("the references are Japanese"));
}

}  // namespace
}  // namespace hexapla::evaluate
