// The public options are exactly those that decoding declares.
#include "lib/translate/translator_options.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "text/lines/sentences.h"

namespace hexapla::api {
namespace {

struct AnyField {
  template <class T>
  operator T() const {  // converts to a field of any type
    return T();
  }
};
// The number of fields of an aggregate.
template <class T, class... Known>
constexpr size_t fields() {
  if constexpr (requires { T{Known{}..., AnyField{}}; })
    return fields<T, Known..., AnyField>();
  else
    return sizeof...(Known);
}

std::map<std::string, std::string> public_values(TranslatorOptions options) {
  std::map<std::string, std::string> values;
  for (const PublicOption& option : public_rows(options))
    if (const auto value = option.value()) values[option.name] = text::joined(value->words());
  return values;
}

std::map<std::string, std::string> declared_values(const decode::DecodingOptions& options) {
  std::map<std::string, std::string> values;
  for (const OptionRow& row : rows_of(options)) values[row.name] = text::joined(row.words());
  values.erase("precision");  // an option of a translator, not of a call
  return values;
}

TEST(TranslatorOptions, AreThoseThatAreDeclaredWithTheirDefaults) {
  EXPECT_EQ(public_values(public_options({})), declared_values({}));
  EXPECT_EQ(public_values({}).size(), 0u) << "what is not given has no value";
  EXPECT_EQ(fields<TranslatorOptions>(), public_values(public_options({})).size() + 7)
      << "a field that public_rows() leaves out";
}

TEST(TranslatorOptions, EachReachesItsDeclaration) {
  const auto drawing = [](const std::string& name) {
    return name == "temperature" || name == "top-k" || name == "top-p" || name == "seed" || name == "candidates";
  };
  const auto of_beam = [](const std::string& name) {
    return name == "beam-size" || name == "stop-when" || name == "coverage-penalty" || name == "repetition-penalty";
  };
  for (const bool sample : {false, true}) {
    TranslatorOptions options{.mbr = "bleu", .length_normalization = "power", .unk = "copy", .long_input = "refuse"};
    if (!sample) options.stop_when = "outscored";
    int next = 40;
    for (const PublicOption& option : public_rows(options)) {
      --next;
      const std::string name = option.name;
      if (sample ? of_beam(name) : drawing(name)) continue;
      std::visit(Overloaded{[&](std::optional<bool>* value) { *value = name == "distinct" || sample; },
                            [](std::optional<std::string>*) {},
                            [](std::optional<std::vector<std::string>>* value) {
                              *value = {"a", "b+"};
                            },
                            [&]<class T>(std::optional<T>* value) { *value = static_cast<T>(next); }},
                 option.member);
      if (name == "top-p") options.top_p = 0.25;
      if (name == "candidates") options.candidates = 99;  // not less than n_best
    }
    const auto reached = declared_values(declared_options(options));
    EXPECT_GT(public_values(options).size(), 18u);
    for (const auto& [name, value] : public_values(options)) EXPECT_EQ(reached.at(name), value) << name;
  }
}

TEST(TranslatorOptions, AreRefusedByTheirDeclarations) {
  const auto refusal = [](const TranslatorOptions& options) -> std::string {
    try {
      declared_options(options);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({.beam_size = 0}), "`beam-size` is 0, but must be a whole number from 1 to 1000");
  EXPECT_EQ(refusal({.length_penalty = std::numeric_limits<double>::quiet_NaN()}),
            "`length-penalty` is nan, but must be a number from -100 to 100");
  EXPECT_EQ(refusal({.unk = "drop"}), "`unk` is 'drop', but must be one of: keep, forbid, copy");
  EXPECT_EQ(refusal({.top_p = 1.5}), "`top-p` is 1.5, but must be a number above 0 and at most 1");
}

// A model's option without effect may gain one from the options of a call.
TEST(TranslatorOptions, ValuesOfAModelWaitForACallThatUsesThem) {
  const model::Usage usage{{{"beam-size", "1"}, {"stop-when", "shrinking"}, {"length-penalty", "0.6"}}};
  const decode::DecodingOptions usual = usual_search(usage);
  TranslatorOptions call;
  EXPECT_EQ(declared_options(call, usual).stop_when.text(), decode::DecodingOptions().stop_when.text())
      << "a beam of 1 shrinks no further";
  call.beam_size = 2;
  EXPECT_EQ(declared_options(call, usual).stop_when.text(), "shrinking");
  EXPECT_EQ(declared_options(call, usual).length_penalty, 0.6);
}

}  // namespace
}  // namespace hexapla::api
