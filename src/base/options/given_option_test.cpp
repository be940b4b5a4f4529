#include "base/options/given_option.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "base/options/given_json.h"

namespace hexapla {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct SomeOptions {
  int64_t beam_size = 4;
  double alpha = 0.5;
  bool sample = false;
  std::string word = "a";
  std::vector<std::string> files;
  std::vector<double> weights;

  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    f("beam-size", o.beam_size, "", ranges::kBeam);
    f("alpha", o.alpha, "", Range<double>{-1, 1});
    f("sample", o.sample, "", AnyValue{});
    f("word", o.word, "", AnyValue{});
    f("files", o.files, "", AnyValue{});
    f("weights", o.weights, "", Range<double>{0, 10});
  }
};

SomeOptions taken(const json& object) {
  const std::vector<GivenOption> all = given_in_json<SomeOptions>(object);
  Given given;
  for (const GivenOption& option : all) given[option.name] = &option;
  SomeOptions o;
  take_given(given, o);
  return o;
}
std::string refusal(const json& object) {
  return what_of<UsageError>([&] { taken(object); });
}

TEST(GivenInJson, EveryTypeOfValue) {
  const SomeOptions o = taken({{"beam_size", 7},
                               {"alpha", -0.1},
                               {"sample", true},
                               {"word", "b"},
                               {"files", {"x", "true"}},
                               {"weights", {1, 2.5}}});
  EXPECT_EQ(o.beam_size, 7);
  EXPECT_EQ(o.alpha, -0.1);
  EXPECT_TRUE(o.sample);
  EXPECT_EQ(o.word, "b");
  EXPECT_THAT(o.files, testing::ElementsAre("x", "true"));
  EXPECT_THAT(o.weights, testing::ElementsAre(1, 2.5));
  EXPECT_EQ(taken({{"beam-size", 7}}).beam_size, 7);
  EXPECT_EQ(taken(json::object()).beam_size, 4);
}

TEST(GivenInJson, AnotherTypeIsRefused) {
  EXPECT_EQ(refusal({{"beam_size", "4"}}), "`beam-size` is '\"4\"', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"beam_size", 4.5}}), "`beam-size` is '4.5', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"beam_size", true}}), "`beam-size` is 'true', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"beam_size", nullptr}}), "`beam-size` is 'null', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"beam_size", {4}}}), "`beam-size` is '[4]', but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"alpha", "x"}}), "`alpha` is '\"x\"', but must be a number from -1 to 1");
  EXPECT_EQ(refusal({{"sample", 1}}), "`sample` is 1, but must be true or false");
  EXPECT_EQ(refusal({{"sample", "true"}}), "`sample` is \"true\", but must be true or false");
  EXPECT_EQ(refusal({{"word", 3}}), "`word` is 3, but must be a string");
  EXPECT_EQ(refusal({{"files", "x"}}), "`files` is \"x\", but must be a list");
  EXPECT_EQ(refusal({{"files", {1}}}), "`files` is 1, but must be a string");
  EXPECT_EQ(refusal({{"weights", json::array()}}), "`weights` has no value");
}

TEST(GivenInJson, NumbersOutOfRange) {
  EXPECT_EQ(refusal({{"beam_size", 0}}), "`beam-size` is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({{"alpha", std::nan("")}}), "`alpha` is nan, but must be a number from -1 to 1");
  EXPECT_EQ(refusal({{"alpha", -1.5}}), "`alpha` is -1.5, but must be a number from -1 to 1");
  EXPECT_EQ(refusal({{"beam_size", std::nan("")}}), "`beam-size` is 'nan', but must be a whole number from 1 to 1000");
  EXPECT_THAT(refusal(json::parse(R"({"beam_size": 99999999999999999999})")), HasSubstr("`beam-size` is '1e+20'"));
  EXPECT_THAT(refusal({{"weights", {1, 11}}}), HasSubstr("`weights` is 11, but must be a number from 0 to 10"));
}

TEST(GivenInJson, NamesThatAreNotThere) {
  EXPECT_EQ(refusal({{"beam_sise", 4}}), "unknown option 'beam_sise'; did you mean 'beam_size'?");
  EXPECT_EQ(refusal({{"beam-sise", 4}}), "unknown option 'beam-sise'; did you mean 'beam-size'?");
  EXPECT_EQ(refusal({{"nothing_like_it", 4}}), "unknown option 'nothing_like_it'");
  EXPECT_EQ(refusal({{"beam_size", 4}, {"beam-size", 4}}), "`beam-size` is given twice, spelled in two ways");
  EXPECT_EQ(refusal({1, 2}), "options are a JSON object, but here is [1,2]");
}

}  // namespace
}  // namespace hexapla
