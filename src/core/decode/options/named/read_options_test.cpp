#include "decode/options/named/read_options.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "base/options/option_names.h"

namespace hexapla::decode {
namespace {

using testing::HasSubstr;

std::string refusal(const std::vector<GivenOption>& given) {
  return what_of<UsageError>([&] { read_options(given); });
}

TEST(ReadOptions, ReachTheSearch) {
  const DecodingOptions o = read_options({{"beam_size", {"6"}},
                                          {"length-penalty", {"1.0"}},
                                          {"length_normalization", {"power"}},
                                          {"unk", {"copy"}},
                                          {"n_best", {"3"}},
                                          {"distinct", {"true"}}});
  const TranslateOptions how = o.translate_options();
  EXPECT_EQ(how.search.beam_size, 6);
  EXPECT_EQ(how.search.n_best, 3);
  EXPECT_EQ(std::get<PowerPenalty>(how.search.length_penalty).alpha, 1.0);
  EXPECT_TRUE(how.copy_unknown);
  EXPECT_TRUE(how.distinct);
}

TEST(ReadOptions, StandOnTheUsualOnes) {
  DecodingOptions usual;
  usual.beam_size = 2, usual.precision = "int8";
  const DecodingOptions o = read_options({{"min_length", {"3"}}}, usual);
  EXPECT_EQ(o.beam_size, 2);
  EXPECT_EQ(o.min_length, 3);
  EXPECT_EQ(o.precision.text(), "int8");
}

// Options shared by all requests or reserved to the operator are not request options; all others are.
TEST(ReadOptions, ARequestHasAllButBatchesPrecisionAndPatterns) {
  DecodingOptions o;
  EXPECT_EQ(names_of(o.rows_of_request()),
            names_of(without(o.rows(), {"batch-sentences", "batch-tokens", "precision", "protect-pattern"})));
  EXPECT_EQ(o.rows_of_request().size() + 4, o.rows().size());
}

// Values just outside of each range are refused, under both spellings of the name.
TEST(ReadOptions, EachRangeIsKept) {
  int refused = 0;
  for (const OptionRow& row : DecodingOptions().rows()) {
    const std::string name = row.name;
    std::vector<std::string> outside = std::visit(
        [](const auto& allowed) {
          if constexpr (requires { allowed.outside(); })
            return allowed.outside();
          else
            return std::vector<std::string>();
        },
        row.allowed);
    if (row.is_number()) outside.insert(outside.end(), {"x", "nan"});
    if (row.choices()) outside.emplace_back("other");
    for (const std::string& word : outside)
      for (const std::string& key : {name, as_field(name)}) {
        EXPECT_THAT(refusal({{key, {word}}}), AllOf(HasSubstr("`" + name + "` is "), HasSubstr("must be "))) << word;
        ++refused;
      }
  }
  EXPECT_GT(refused, 100);
}

TEST(ReadOptions, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THAT(refusal({{"n_best", {"5"}}, {"beam_size", {"3"}}}), HasSubstr("`n-best` is 5, but a beam of 3"));
  const std::vector<GivenOption> sampled{{"sample", {"true"}}, {"n_best", {"9"}}, {"top_k", {"5"}}, {"seed", {"3"}}};
  EXPECT_EQ(read_options(sampled).translate_options().search.sampling->top_k, 5);
}

TEST(ReadOptions, InWordsAndWithTheirPlace) {
  const DecodingOptions o = read_options(
      {{"beam-size", {"6"}, "o.yml:1"}, {"batch_tokens", {"100"}, "o.yml:2"}, {"sample", {"off"}, "o.yml:3"}});
  EXPECT_EQ(o.beam_size, 6);
  EXPECT_EQ(o.batch_tokens, 100);
  const auto refused = [](const char* name, const char* value) { return refusal({{name, {value}, "o.yml:7"}}); };
  EXPECT_EQ(refused("beam_size", "0"), "o.yml:7: `beam-size` is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(refused("unk", "drop"), "o.yml:7: `unk` is 'drop', but must be one of: keep, forbid, copy");
  EXPECT_EQ(refused("top-k", "3"),
            "o.yml:7: `top-k` 3 is for `sample`, which is off; turn it on, or leave this option out");
  EXPECT_EQ(refused("beam", "3"), "o.yml:7: unknown option 'beam'; did you mean 'beam_size'?");
}

}  // namespace
}  // namespace hexapla::decode
