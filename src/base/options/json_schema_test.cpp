#include "base/options/json_schema.h"

#include <gmock/gmock.h>

namespace hexapla {
namespace {

using json = nlohmann::ordered_json;

TEST(JsonSchema, SaysTypesRangesAndChoices) {
  EXPECT_EQ(json_schema_of(int64_t{4}, "help", Range<int64_t>{1, 1000}),
            json::parse(R"({"type":"integer","minimum":1,"maximum":1000,"description":"help"})"));
  EXPECT_EQ(json_schema_of(0.5, "", Range<double>{.least = 0, .most = 1, .open_least = true}),
            json::parse(R"({"type":"number","minimum":0.0,"maximum":1.0,"exclusiveMinimum":true})"));
  EXPECT_EQ(json_schema_of(0.5, "", Range<double>{.least = 2, .most = 3, .open_most = true, .or_zero = true}),
            json::parse(R"({"type":"number","minimum":0.0,"maximum":3.0,"exclusiveMaximum":true})"));
  EXPECT_EQ(json_schema_of(false, "", AnyValue{}), json::parse(R"({"type":"boolean"})"));
  EXPECT_EQ(json_schema_of(std::string(), "", Choices{"a", "b"}), json::parse(R"({"type":"string","enum":["a","b"]})"));
  EXPECT_EQ(json_schema_of(std::vector<double>(), "", Range<double>{0, 1}),
            json::parse(R"({"type":"array","items":{"type":"number","minimum":0.0,"maximum":1.0}})"));
}

}  // namespace
}  // namespace hexapla
