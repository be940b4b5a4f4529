#include "decode/options/named/search_defaults.h"

#include "base/error.h"
#include "base/options/given_option.h"

namespace hexapla::decode {
namespace {

// Takes the values, which are words whatever the option's type.
void take(const std::map<std::string, std::string>& values, DecodingOptions& options) {
  std::vector<GivenOption> all;
  for (const auto& [name, value] : values) all.push_back({name, {value}});
  const OptionRows rows = options.rows_of_search();
  const Given given = by_name(all, names_of(rows));
  take_given(given, rows);
  for (const OptionRow& row : rows)
    if (given.contains(row.name)) row.check();
}

// If at least one training line in twenty had several sentences, the model has learned to translate
// them together, up to the length of 99 % of the lines.
int64_t familiar_tokens(const model::Usage& usage) {
  constexpr double enough = 0.05;
  constexpr size_t share = 2;  // of model::kLengthShares: 0.99
  const bool known = usage.several_sentences.value_or(0) >= enough && usage.source_lengths.size() > share;
  return known ? usage.source_lengths[share] : 0;
}

void take_from_record(const std::map<std::string, std::string>& values, DecodingOptions& options) {
  try {
    take(values, options);
  } catch (const UsageError& e) {
    throw DataError(cat("the model's record of how to search with it is damaged (", e.what(),
                        "); import the model again, or change it with hexapla set"));
  }
}

}  // namespace

void check_search(const model::Usage& usage) {
  DecodingOptions tried;
  take(usage.search, tried);
  tried.translate_options();
}

DecodingOptions recorded_search(const model::Usage& usage) {
  DecodingOptions search;
  take_search_defaults(
      usage, [](const std::string&) { return false; }, search);
  return search;
}

void take_search_defaults(const model::Usage& usage, const std::function<bool(const std::string& option)>& given,
                          DecodingOptions& options) {
  options.familiar = familiar_tokens(usage);
  auto values = usage.search;
  std::erase_if(values, [&](const auto& value) { return given(value.first); });
  if (values.empty()) return;
  take_from_record(values, options);
  leave_out_idle(given, options.rows(), rows_of(DecodingOptions()));
}

void take_record(const model::Usage& usage, DecodingOptions& options) {
  options.familiar = familiar_tokens(usage);
  take_from_record(usage.search, options);
}

}  // namespace hexapla::decode
