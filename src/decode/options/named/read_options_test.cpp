#include "decode/options/named/read_options.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files/test_folder.h"
#include "base/options/option_names.h"

namespace hexapla::decode {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string refusal(const json& object) {
  return what_of<UsageError>([&] { read_options<RequestOptions>(object); });
}

template <class Options>
std::map<std::string, std::string> values(const Options& options) {
  std::map<std::string, std::string> all;
  Options::visit(options, [&](const char* name, const auto& value, const auto&...) {
    if constexpr (is_list<std::remove_cvref_t<decltype(value)>>)
      all[name] = cat(value.size());
    else
      all[name] = cat(value);
  });
  return all;
}

TEST(ReadOptions, OfARequest) {
  const auto o = read_options<RequestOptions>(json::parse(
      R"({"beam_size": 6, "length-penalty": 1.0, "length_normalization": "power", "unk": "copy", "n_best": 3})"));
  const TranslateOptions how = o.translate_options();
  EXPECT_EQ(how.search.beam_size, 6);
  EXPECT_EQ(how.search.n_best, 3);
  EXPECT_EQ(std::get<PowerPenalty>(how.search.length_penalty).alpha, 1.0);
  EXPECT_TRUE(how.copy_unknown);
  EXPECT_EQ(values(read_options<RequestOptions>(json::object())), values(RequestOptions()));
}

TEST(ReadOptions, StandOnThoseOfTheService) {
  RequestOptions usual;
  usual.beam_size = 2, usual.precision = "int8";
  const auto o = read_options<RequestOptions>(json{{"min_length", 3}}, usual);
  EXPECT_EQ(o.beam_size, 2);
  EXPECT_EQ(o.min_length, 3);
  EXPECT_EQ(o.precision.text(), "int8");
}

// Options shared by all requests or reserved to the operator are not request options; all others
// are.
TEST(ReadOptions, ARequestHasAllButBatchesPrecisionAndPatterns) {
  std::map<std::string, std::string> all = values(DecodingOptions());
  for (const char* common : {"batch-sentences", "batch-tokens", "precision", "protect-pattern"}) {
    EXPECT_EQ(all.erase(common), 1u);
    EXPECT_THAT(refusal({{common, 1}}), HasSubstr(cat("unknown option '", common, "'")));
  }
  EXPECT_EQ(values(RequestOptions()), all);
}

// Values just outside of each range are refused, under both spellings of the name.
TEST(ReadOptions, EachRangeIsKept) {
  int refused = 0;
  const RequestOptions usual;
  RequestOptions::visit(usual, [&](const std::string& name, const auto& field, const char*, const auto& allowed,
                                   const When&) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (Number<Field>) {
      for (const std::string& outside : allowed.outside()) {
        const json value = json::parse(outside, nullptr, false);
        if (value.is_discarded() || !value.is_number()) continue;
        for (const std::string& key : {name, as_field(name)})
          EXPECT_THAT(refusal({{key, value}}), testing::AllOf(HasSubstr("`" + name + "` is "), HasSubstr("must be ")))
              << outside;
        ++refused;
      }
      EXPECT_THAT(refusal({{name, "x"}}), HasSubstr("`" + name + "` is '\"x\"', but must be "));
      EXPECT_THAT(refusal({{name, std::numeric_limits<double>::quiet_NaN()}}), HasSubstr("nan"));
    } else if constexpr (is_word<Field>) {
      EXPECT_THAT(refusal({{name, "other"}}), HasSubstr("is 'other', but must be one of: "));
    }
  });
  EXPECT_GT(refused, 20);
}

TEST(ReadOptions, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THAT(refusal({{"n_best", 5}, {"beam_size", 3}}), HasSubstr("`n-best` is 5, but a beam of 3"));
  EXPECT_THAT(refusal({{"temperature", 0.5}}), HasSubstr("`temperature` 0.5 is for `sample`, which is off"));
  EXPECT_THAT(refusal({{"sample", true}, {"beam_size", 3}}), HasSubstr("`beam-size` 3 is for a beam"));
  EXPECT_THAT(refusal({{"sample", true}, {"coverage_penalty", 1}}), HasSubstr("`coverage-penalty` 1 reranks"));
  const auto o = read_options<RequestOptions>(json{{"sample", true}, {"n_best", 9}, {"top_k", 5}, {"seed", 3}});
  EXPECT_EQ(o.translate_options().search.sampling->top_k, 5);
}

TEST(ReadOptions, InWordsAndWithTheirPlace) {
  const auto o = read_options<DecodingOptions>(std::vector<GivenOption>{
      {"beam-size", {"6"}, "o.yml:1"}, {"batch_tokens", {"100"}, "o.yml:2"}, {"sample", {"off"}, "o.yml:3"}});
  EXPECT_EQ(o.beam_size, 6);
  EXPECT_EQ(o.batch_tokens, 100);
  const auto refused = [](const char* name, const char* value) {
    return what_of<UsageError>([&] {
      read_options<DecodingOptions>(std::vector<GivenOption>{{name, {value}, "o.yml:7"}});
    });
  };
  EXPECT_EQ(refused("beam_size", "0"), "o.yml:7: `beam-size` is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(refused("unk", "drop"), "o.yml:7: `unk` is 'drop', but must be one of: keep, forbid, copy");
  EXPECT_EQ(refused("top-k", "3"),
            "o.yml:7: `top-k` 3 is for `sample`, which is off; turn it on, or leave this option out");
  EXPECT_EQ(refused("beam", "3"), "o.yml:7: unknown option 'beam'; did you mean 'beam_size'?");
}

}  // namespace
}  // namespace hexapla::decode
