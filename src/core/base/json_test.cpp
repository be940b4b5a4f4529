#include "base/json.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files/test_folder.h"

namespace hexapla {
namespace {

using testing::HasSubstr;

std::string nested(size_t n, const std::string& open, const std::string& close, const std::string& inner = "0") {
  std::string text;
  for (size_t i = 0; i < n; ++i) text += open;
  text += inner;
  for (size_t i = 0; i < n; ++i) text += close;
  return text;
}

std::string refusal(const std::string& text) {
  EXPECT_EQ(json_or_null(text), nullptr);
  return what_of<DataError>([&] { parse_json(text, "x.json", "write it again"); });
}

TEST(Json, IsParsedWithinItsLimits) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, {"{\"a\":", "}"}, {"[{\"a\\\"[\":", "}]"}}) {
    const size_t levels = *open == '[' && open[1] ? 2 : 1;
    const std::string most = nested(kDeepestJson / levels, open, close);
    EXPECT_EQ(json_text(parse_json(most, "x.json")), most);
    EXPECT_EQ(json_text(json_or_null<nlohmann::ordered_json>(most)), most);
    EXPECT_THAT(refusal(nested(kDeepestJson / levels + 1, open, close)), HasSubstr("x.json: its JSON has 6"));
  }
  EXPECT_THAT(refusal(std::string(400'000, '[')), HasSubstr("its JSON has 400000 lists and objects"));
  std::string wide = "[0";
  for (size_t i = 2; i < kMostJsonValues; ++i) wide += ",0";
  EXPECT_EQ(parse_json(wide + "]", "x.json").size(), kMostJsonValues - 1);
  EXPECT_THAT(refusal(wide + ",0]"), HasSubstr("1048577 values"));
}

TEST(Json, BracketsInsideOfTextsAreNoLevels) {
  const std::string text = "[\"" + std::string(500, '[') + "\\\"" + std::string(500, '{') + "\"]";
  EXPECT_EQ(json_text(parse_json(text, "x.json")), text);
}

TEST(Json, WhatIsNoneIsRefusedByName) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1}}", "]]][", "\"\\", "[1e999]", "nul"})
    EXPECT_EQ(refusal(text), "x.json is not valid JSON; write it again") << text;
  EXPECT_EQ(json_or_null("null"), nullptr);
}

}  // namespace
}  // namespace hexapla
