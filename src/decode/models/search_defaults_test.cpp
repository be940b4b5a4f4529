#include "decode/models/search_defaults.h"

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
  const std::map<std::string, std::string> history{
      {kSearchDefaults, search_defaults({{"beam-size", "6"}, {"length-normalization", "power"}, {"longest", "511"}})}};
  BeamOptions o;
  take_search_defaults(history, none, o);
  EXPECT_EQ(o.beam_size, 6);
  EXPECT_EQ(o.length_normalization, "power");
  EXPECT_EQ(o.longest, 511);
  EXPECT_EQ(o.extra_length, BeamOptions().extra_length);
  o = BeamOptions();
  o.beam_size = 2;
  take_search_defaults(
      history, [](const std::string& name) { return name == "beam-size"; }, o);
  EXPECT_EQ(o.beam_size, 2);
  EXPECT_EQ(o.longest, 511);
  o = BeamOptions();
  take_search_defaults({}, none, o);
  EXPECT_EQ(o.beam_size, BeamOptions().beam_size);
  EXPECT_EQ(o.longest, BeamOptions().longest);
}

TEST(SearchDefaults, AreCheckedWhereTheyAreWrittenAndWhereTheyAreRead) {
  EXPECT_THROW(search_defaults({{"beam-size", "0"}}), UsageError);
  EXPECT_THROW(search_defaults({{"stop-when", "never"}}), UsageError);
  EXPECT_THROW(search_defaults({{"beams", "4"}}), UsageError);
  for (const char* damaged : {"", "[]", "{\"beam-size\": 4}", "{\"beam-size\": \"0\"}", "{\"beams\": \"4\"}"}) {
    BeamOptions o;
    EXPECT_THAT(what_of<DataError>([&] {
                  take_search_defaults({{kSearchDefaults, damaged}}, none, o);
                }),
                HasSubstr("import it again"))
        << damaged;
  }
}

}  // namespace
}  // namespace hexapla::decode
