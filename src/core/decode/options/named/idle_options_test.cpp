// Gives every search option together with others, with which it does and does not have an effect.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "decode/options/named/read_options.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla::decode {
namespace {

using testing::HasSubstr;

const std::vector<std::vector<GivenOption>> kContexts{{},
                                                      {{"sample", {"true"}}},
                                                      {{"sample", {"true"}}, {"mbr", {"chrf"}}},
                                                      {{"beam-size", {"1"}}},
                                                      {{"length-penalty", {"0"}}},
                                                      {{"n-best", {"3"}}}};

TEST(IdleSearchOptions, AreRefusedByNameWhereTheyDoNothing) {
  std::map<std::string, int> taken, refused;
  for (const auto& context : kContexts) {
    const DecodingOptions o = read_options(context);
    for (const OptionRow& row : rows_of(o)) {
      const std::string name = row.name;
      if (std::any_of(context.begin(), context.end(), [&](const GivenOption& other) { return other.name == name; }))
        continue;
      std::vector<GivenOption> given = context;
      given.push_back({name, row.is_list() ? std::vector<std::string>{"x"} : row.words(), "o.yml:3"});
      std::string said;
      try {
        read_options(given);
      } catch (const UsageError& e) {
        said = e.what();
        EXPECT_EQ(e.option(), name);
      }
      EXPECT_EQ(said.empty(), row.when.now) << name << ": " << said;
      if (!row.when.now) {
        EXPECT_THAT(said, AllOf(HasSubstr("o.yml:3: `" + name + "` "), HasSubstr(row.when.otherwise)));
      }
      ++(row.when.now ? taken : refused)[name];
    }
  }
  EXPECT_EQ(refused.size(), 11u) << "beam-size, stop-when, distinct, mbr, two penalties, five of sampling";
  for (const auto& [name, times] : refused) EXPECT_GT(taken[name], 0) << name;
}

// A script that varies the penalty gives the normalization all the same.
TEST(IdleSearchOptions, APenaltyOfZeroRefusesNoOtherOption) {
  const DecodingOptions o = read_options({{"length-penalty", {"0"}}, {"length-normalization", {"power"}}});
  for (const OptionRow& row : rows_of(o))
    EXPECT_TRUE(row.when.now || !std::string_view(row.name).starts_with("length")) << row.name;
}

// Options from a model's record were not given by the user, so they yield.
TEST(IdleSearchOptions, OfAModelsRecordAreLeftOut) {
  const model::Usage usage{{{"coverage-penalty", "0.2"}, {"stop-when", "shrinking"}, {"longest", "9"}}};
  const auto given = [](const std::string& name) { return name == "sample"; };
  DecodingOptions o;
  o.sample = true;
  take_search_defaults(usage, given, o);
  EXPECT_EQ(o.coverage_penalty, 0);
  EXPECT_EQ(o.stop_when.text(), DecodingOptions().stop_when.text());
  EXPECT_EQ(o.longest, 9);
  EXPECT_NO_THROW(o.translate_options());
}

}  // namespace
}  // namespace hexapla::decode
