#include "base/options/given_option.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"

namespace hexapla {
namespace {

using Words = std::vector<std::string>;

struct SomeOptions {
  int64_t beam_size = 4;
  double alpha = 0.5;
  bool sample = false;
  std::string text = "a";
  Word<"x", "y"> word = "x";
  Words files;
  std::vector<double> weights;

  OptionRows rows() {
    static const Choices texts{"a", "b"};
    return {{"beam-size", beam_size, "", ranges::kBeam, When{!sample, "is for a beam"}},
            {"alpha", alpha, "", Range<double>{.least = -1, .most = 1, .zero = "none"}},
            {"sample", sample, "", AnyValue{}},
            {"text", text, "", texts},
            {"word", word, ""},
            {"files", files, "", AnyValue{}},
            {"weights", weights, "", Range<double>{0, 10}}};
  }
};

SomeOptions taken(std::vector<GivenOption> all) {
  SomeOptions o;
  const OptionRows rows = o.rows();
  const Given given = by_name(all, names_of(rows));
  take_given(given, rows);
  check_words(given, rows);
  refuse_idle(given, o.rows());
  return o;
}
std::string refusal_of_option(const std::string& name, const Words& words) {
  return what_of<UsageError>([&] { taken({{name, words, "o.yml:3"}}); });
}

TEST(GivenOption, EveryTypeOfValue) {
  const SomeOptions o = taken({{"beam_size", {"7"}},
                               {"alpha", {"-0.1"}},
                               {"text", {"b"}},
                               {"word", {"y"}},
                               {"files", {"x", "true"}},
                               {"weights", {"1", "2.5"}}});
  EXPECT_EQ(o.beam_size, 7);
  EXPECT_EQ(o.alpha, -0.1);
  EXPECT_EQ(o.text, "b");
  EXPECT_EQ(o.word.text(), "y");
  EXPECT_THAT(o.files, testing::ElementsAre("x", "true"));
  EXPECT_THAT(o.weights, testing::ElementsAre(1, 2.5));
  EXPECT_TRUE(taken({{"sample", {"on"}}}).sample);
  EXPECT_EQ(taken({{"beam-size", {"7"}}}).beam_size, 7);
  EXPECT_EQ(taken({}).beam_size, 4);
}

TEST(GivenOption, WhatIsWrittenIsReadAgain) {
  SomeOptions o = taken({{"sample", {"true"}}, {"weights", {"0.1", "3"}}, {"word", {"y"}}, {"alpha", {"none"}}});
  EXPECT_EQ(find(o.rows(), "alpha")->words(), Words{"none"});
  SomeOptions again;
  const OptionRows rows = again.rows();
  for (const OptionRow& row : o.rows())
    if (const Words words = row.words(); !words.empty()) find(rows, row.name)->set(words);
  for (const OptionRow& row : o.rows()) EXPECT_EQ(find(rows, row.name)->words(), row.words()) << row.name;
}

TEST(GivenOption, AnotherValueIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal_of_option("beam_size", {"4.5"}),
            "o.yml:3: `beam-size` is '4.5', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal_of_option("beam-size", {"0"}),
            "o.yml:3: `beam-size` is 0, but must be a whole number from 1 to 1000");
  for (const auto& [name, words] : std::vector<std::pair<std::string, Words>>{{"beam-size", {"99999999999999999999"}},
                                                                              {"beam-size", {"4", "5"}},
                                                                              {"beam-size", {}},
                                                                              {"alpha", {"x"}},
                                                                              {"alpha", {"nan"}},
                                                                              {"alpha", {"-1.5"}},
                                                                              {"alpha", {"0"}},
                                                                              {"sample", {"maybe"}},
                                                                              {"text", {"c"}},
                                                                              {"word", {"z"}},
                                                                              {"weights", {"1", "11"}},
                                                                              {"weights", {}}}) {
    try {
      taken({{name, words, "o.yml:3"}});
      ADD_FAILURE() << name;
    } catch (const UsageError& e) {
      EXPECT_EQ(e.option(), name);
      EXPECT_TRUE(std::string(e.what()).starts_with("o.yml:3: `" + name + "` ")) << e.what();
    }
  }
}

TEST(GivenOption, NamesThatAreNotThere) {
  EXPECT_EQ(refusal_of_option("beam_sise", {"4"}), "o.yml:3: unknown option 'beam_sise'; did you mean 'beam_size'?");
  EXPECT_EQ(refusal_of_option("beam-sise", {"4"}), "o.yml:3: unknown option 'beam-sise'; did you mean 'beam-size'?");
  EXPECT_EQ(refusal_of_option("nothing_like_it", {"4"}), "o.yml:3: unknown option 'nothing_like_it'");
}

TEST(GivenOption, WithoutEffectIsRefusedIfGivenAndElseLeftOut) {
  EXPECT_EQ(what_of<UsageError>([] {
              taken({{"sample", {"true"}}, {"beam-size", {"7"}}});
            }),
            "`beam-size` 7 is for a beam");
  SomeOptions o, usual;
  o.sample = true, o.beam_size = 7, o.alpha = 0.1;
  leave_out_idle([](const std::string&) { return false; }, o.rows(), usual.rows());
  EXPECT_EQ(o.beam_size, 4);
  EXPECT_EQ(o.alpha, 0.1);
}

}  // namespace
}  // namespace hexapla
