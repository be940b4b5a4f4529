#pragma once
// Converts the public header's options to and from decoding options, which declare names, ranges
// and messages.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"
#include "hexapla/translator.h"
#include "model/record/usage.h"

namespace hexapla::api {

// A public search option by its declared name. The member has no value if the option was not given.
struct PublicOption {
  const char* name;
  std::variant<std::optional<bool>*, std::optional<int>*, std::optional<std::uint64_t>*, std::optional<double>*,
               std::optional<std::string>*, std::optional<std::vector<std::string>>*>
      member;

  std::optional<OptionValue> value() const;
  void set(const std::vector<std::string>& words) const;  // of the declared option, OptionRow::words()
};
std::vector<PublicOption> public_rows(TranslatorOptions& options);
inline std::vector<PublicOption> public_rows(const TranslatorOptions& options) {  // only read
  return public_rows(const_cast<TranslatorOptions&>(options));
}

// `usual` overridden by the given options. UsageError as decode::read_options(), naming the option,
// its value and the allowed values.
decode::DecodingOptions declared_options(const TranslatorOptions& options, const decode::DecodingOptions& usual = {});
// A model's search defaults: its record, overridden by `of_model`, the options given when it was
// opened. Keeps options without effect, because a call may give them one; declared_options() drops
// them.
decode::DecodingOptions usual_search(const model::Usage& usage, const TranslatorOptions& of_model = {});
// Checks options before their model is known: its beam may be wide enough for any n-best.
// UsageError as decode::read_options().
decode::DecodingOptions options_for_any_model(std::vector<GivenOption> given);
// The inverse conversion; every option has a value.
TranslatorOptions public_options(const decode::DecodingOptions& options);

// UsageError: an option was given to a call that does not use it.
enum class TranslatorCall { best, n_best, request, scores, alignments, trace };
void refuse_idle(TranslatorCall call, const TranslatorOptions& options);

// The options of a request as a JSON Schema object, with their ranges. It cannot express which
// options exclude each other.
nlohmann::ordered_json schema_of_options();

}  // namespace hexapla::api
