#include "decode/options/named/search_defaults.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/options/given_option.h"

namespace hexapla::decode {
namespace {

using testing::HasSubstr;
using Words = std::map<std::string, std::string>;

const auto none = [](const std::string&) { return false; };

TEST(SearchDefaults, ApplyWhereNothingWasGiven) {
  const model::Usage usage{{{"beam-size", "6"}, {"length-normalization", "power"}, {"longest", "511"}}};
  DecodingOptions o;
  take_search_defaults(usage, none, o);
  EXPECT_EQ(o.beam_size, 6);
  EXPECT_EQ(o.length_normalization.text(), "power");
  EXPECT_EQ(o.longest, 511);
  EXPECT_EQ(o.extra_length, DecodingOptions().extra_length);
  o = DecodingOptions();
  o.beam_size = 2;
  take_search_defaults(
      usage, [](const std::string& name) { return name == "beam-size"; }, o);
  EXPECT_EQ(o.beam_size, 2);
  EXPECT_EQ(o.longest, 511);
  o = DecodingOptions();
  take_search_defaults({}, none, o);
  EXPECT_EQ(o.beam_size, DecodingOptions().beam_size);
  EXPECT_EQ(o.longest, DecodingOptions().longest);
}

TEST(SearchDefaults, AreCheckedWhereTheyAreWrittenAndWhereTheyAreRead) {
  const std::vector<Words> all{{{"beam-size", "0"}}, {{"stop-when", "sometimes"}}, {{"beams", "4"}}};
  for (const Words& wrong : all) {
    EXPECT_THROW(check_search({wrong}), UsageError) << wrong.begin()->first;
    DecodingOptions o;
    EXPECT_THAT(what_of<DataError>([&] { take_search_defaults({wrong}, none, o); }), HasSubstr("is damaged"));
  }
}

}  // namespace
}  // namespace hexapla::decode
