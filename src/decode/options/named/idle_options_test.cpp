// Gives every search option together with others, with which it does and does not have an effect.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "base/error.h"
#include "base/options/word_format.h"
#include "decode/options/named/read_options.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla::decode {
namespace {

using testing::HasSubstr;

const std::vector<std::vector<GivenOption>> kContexts{
    {}, {{"sample", {"true"}}}, {{"beam-size", {"1"}}}, {{"length-penalty", {"0"}}}, {{"n-best", {"3"}}}};

template <class Options>
void check_every_option() {
  std::map<std::string, int> taken, refused;
  for (const auto& context : kContexts) {
    const Options o = read_options<Options>(context);
    visit_conditions(o, [&](const std::string& name, const auto& field, const When& when) {
      for (const GivenOption& other : context)
        if (other.name == name) return;
      std::vector<GivenOption> given = context;
      std::string word = "x";  // for a list
      if constexpr (!is_list<std::remove_cvref_t<decltype(field)>>) word = fmt::format("{}", field);
      given.push_back({name, {word}, "o.yml:3"});
      std::string said;
      try {
        read_options<Options>(given);
      } catch (const UsageError& e) {
        said = e.what();
        EXPECT_EQ(e.option(), name);
      }
      EXPECT_EQ(said.empty(), when.now) << name << ": " << said;
      if (!when.now) {
        EXPECT_THAT(said, AllOf(HasSubstr("o.yml:3: `" + name + "` "), HasSubstr(when.otherwise)));
      }
      ++(when.now ? taken : refused)[name];
    });
  }
  EXPECT_EQ(refused.size(), 8u) << "beam-size, stop-when, two penalties, four of sampling";
  for (const auto& [name, times] : refused) EXPECT_GT(taken[name], 0) << name;
}

TEST(IdleSearchOptions, AreRefusedByNameWhereTheyDoNothing) {
  check_every_option<DecodingOptions>();
  check_every_option<RequestOptions>();
}

// A script that varies the penalty gives the normalization all the same.
TEST(IdleSearchOptions, APenaltyOfZeroRefusesNoOtherOption) {
  visit_conditions(read_options<DecodingOptions>(
                       std::vector<GivenOption>{{"length-penalty", {"0"}}, {"length-normalization", {"power"}}}),
                   [](const std::string& name, const auto&, const When& when) {
                     EXPECT_TRUE(when.now || !name.starts_with("length")) << name;
                   });
}

// Options from a model's record were not given by the user, so they yield.
TEST(IdleSearchOptions, OfAModelsRecordAreLeftOut) {
  const model::Usage usage{{{"coverage-penalty", "0.2"}, {"stop-when", "shrinking"}, {"longest", "9"}}};
  const auto given = [](const std::string& name) { return name == "sample"; };
  DecodingOptions o;
  o.sample = true;
  take_search_defaults(usage, given, o);
  EXPECT_EQ(o.coverage_penalty, 0);
  EXPECT_EQ(o.stop_when.text(), "full");
  EXPECT_EQ(o.longest, 9);
  EXPECT_NO_THROW(o.translate_options());
}

}  // namespace
}  // namespace hexapla::decode
