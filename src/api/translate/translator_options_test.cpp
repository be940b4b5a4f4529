// The public options are those that decoding declares, every one of them.
#include "api/translate/translator_options.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>

#include "base/error.h"

namespace hexapla::api {
namespace {

struct AnyField {
  template <class T>
  operator T() const;  // NOLINT: it stands for a field of any type
};
// How many fields an aggregate has.
template <class T, class... Known>
constexpr size_t fields() {
  if constexpr (requires { T{Known{}..., AnyField{}}; })
    return fields<T, Known..., AnyField>();
  else
    return sizeof...(Known);
}

template <class Value>
std::string text_of(const Value& value) {
  return cat(value);
}

std::map<std::string, std::string> public_values(const TranslatorOptions& options) {
  std::map<std::string, std::string> values;
  visit_public(options, [&](const char* name, const auto& value) { values[name] = text_of(value); });
  return values;
}

std::map<std::string, std::string> declared_values(const decode::DecodingOptions& options) {
  std::map<std::string, std::string> values;
  decode::DecodingOptions::visit(
      options, [&](const char* name, const auto& value, const auto&...) { values[name] = text_of(value); });
  values.erase("precision");  // of a translator, not of a call
  return values;
}

TEST(TranslatorOptions, AreThoseThatAreDeclaredWithTheirDefaults) {
  EXPECT_EQ(public_values({}), declared_values({}));
  EXPECT_EQ(fields<TranslatorOptions>(), public_values({}).size() + 3) << "a field that visit_public() leaves out";
}

TEST(TranslatorOptions, EachReachesItsDeclaration) {
  TranslatorOptions options;
  int next = 2;
  visit_public(options, [&](const std::string& name, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::same_as<Value, bool>)
      value = true;
    else if constexpr (Number<Value>)
      value = static_cast<Value>(name == "top-p" ? 0.25 : next++);
  });
  options.length_normalization = "power", options.unk = "copy", options.long_input = "refuse";
  EXPECT_EQ(public_values(options), declared_values(declared_options(options)));
}

TEST(TranslatorOptions, TheirDescriptionsSayWhatHoldsWhereNothingIsGiven) {
  const std::set<std::string> of_sampling{"temperature", "top_k", "top_p", "seed"};
  for (const OptionDescription& o : search_options()) {
    EXPECT_NE(o.help, "") << o.name;
    EXPECT_EQ(o.help.find_first_of("`\n"), o.help.npos) << o.help;
    if (o.name == "alignment") continue;  // whose usual value is no word
    const bool sample = of_sampling.contains(o.name);
    Options usual{{o.name, o.usual}};
    if (sample) usual.emplace("sample", true);
    EXPECT_EQ(public_values(TranslatorOptions::from(usual)), public_values({.sample = sample})) << o.name;
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

}  // namespace
}  // namespace hexapla::api
