#include "base/options/option_json.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/json.h"

namespace hexapla {
namespace {

using json = nlohmann::ordered_json;

struct JsonOptions {
  int64_t count = 4;
  uint64_t seed = 1;
  double share = 0.5, rest = 2;
  bool on = false;
  std::string text = "b", any;
  Word<"x", "y"> word = "x";
  std::vector<double> shares{1, 2.5};
  std::vector<std::string> files;

  OptionRows rows() {
    static const Choices texts{"a", "b"};
    return {{"count", count, "help of `share`", Range<int64_t>{1, 1000}},
            {"seed", seed, "", ranges::kSeed},
            {"share", share, "", Range<double>{.least = 0, .most = 1, .open_least = true}},
            {"rest", rest, "", Range<double>{.least = 2, .most = 3, .open_most = true, .or_zero = true}},
            {"on", on, "", AnyValue{}},
            {"text", text, "", texts},
            {"any", any, "", AnyValue{}},
            {"word", word, ""},
            {"shares", shares, "", Range<double>{0, 10}},
            {"files", files, "", AnyValue{}}};
  }
};

TEST(OptionJson, TheSchemaSaysTypesRangesAndChoices) {
  json all;
  for (const OptionRow& row : JsonOptions().rows()) all[row.name] = json_schema_of(row);
  EXPECT_EQ(all, json::parse(R"({
    "count": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "help of share"},
    "seed": {"type": "integer", "minimum": 0, "maximum": 18446744073709551615},
    "share": {"type": "number", "minimum": 0.0, "maximum": 1.0, "exclusiveMinimum": true},
    "rest": {"type": "number", "minimum": 0.0, "maximum": 3.0, "exclusiveMaximum": true},
    "on": {"type": "boolean"},
    "text": {"type": "string", "enum": ["a", "b"]},
    "any": {"type": "string"},
    "word": {"type": "string", "enum": ["x", "y"]},
    "shares": {"type": "array", "items": {"type": "number", "minimum": 0.0, "maximum": 10.0}},
    "files": {"type": "array", "items": {"type": "string"}}})"));
}

TEST(OptionJson, ARecordKeepsEveryValue) {
  JsonOptions from, to;
  from.count = 7, from.seed = UINT64_MAX, from.share = 0.1, from.on = true, from.word = "y", from.files = {"f", "g"};
  const OptionRows rows = to.rows();
  json record;
  for (const OptionRow& row : from.rows()) record[row.name] = json_of(row);
  EXPECT_EQ(record, json::parse(R"({"count": 7, "seed": 18446744073709551615, "share": 0.1, "rest": 2.0, "on": true,
    "text": "b", "any": "", "word": "y", "shares": [1.0, 2.5], "files": ["f", "g"]})"));
  for (const OptionRow& row : rows) set_recorded(row, record[row.name]);
  EXPECT_EQ(to.seed, UINT64_MAX);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].words(), from.rows()[i].words()) << rows[i].name;
}

TEST(OptionJson, ARecordThatIsDamagedIsRefused) {
  JsonOptions o;
  const auto set = [&](const char* name, const nlohmann::json& value) { set_recorded(*find(rows_of(o), name), value); };
  EXPECT_THROW(set("count", 1e300), UsageError);
  EXPECT_THROW(set("count", 1.5), UsageError);
  EXPECT_THROW(set("seed", -1), UsageError);
  EXPECT_THROW(set("word", "z"), UsageError);
  EXPECT_THROW(set("on", "true"), nlohmann::json::exception);
  EXPECT_THROW(set("files", "f"), nlohmann::json::exception);
  EXPECT_EQ(o.count, 4);
}

}  // namespace
}  // namespace hexapla
