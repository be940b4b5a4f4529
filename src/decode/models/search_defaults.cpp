#include "decode/models/search_defaults.h"

#include "base/json.h"
#include "base/options/given_json.h"

namespace hexapla::decode {
namespace {

// Values that are words, whatever the type of the option; of those that `options` has.
template <class Options>
void take(const std::map<std::string, std::string>& values, Options& options) {
  std::vector<GivenOption> all;
  for (const auto& [name, value] : values) all.push_back({name, {value}});
  const Given given = by_name(all, names_of<BeamOptions>());
  take_given(given, options);
  Options::visit(options,
                 [&](const std::string& name, const auto& field, const char*, const auto& allowed, const When&) {
                   if (given.contains(name)) check_allowed(name, field, allowed);
                 });
}

}  // namespace

std::string search_defaults(const std::map<std::string, std::string>& values) {
  BeamOptions tried;
  take(values, tried);
  tried.translate_options();
  return json_text(nlohmann::json(values));
}

template <class Options>
void take_search_defaults(const std::map<std::string, std::string>& history,
                          const std::function<bool(const std::string& option)>& given, Options& options) {
  const auto found = history.find(kSearchDefaults);
  if (found == history.end()) return;
  try {
    auto values = nlohmann::json::parse(found->second).get<std::map<std::string, std::string>>();
    std::erase_if(values, [&](const auto& value) { return given(value.first); });
    take(values, options);
    leave_out_idle(given, options);
  } catch (const nlohmann::json::exception&) {
    throw DataError(
        cat("the model's record '", kSearchDefaults, "' of how to search with it is damaged; import it again"));
  } catch (const UsageError& e) {
    throw DataError(cat("the model's record '", kSearchDefaults, "' of how to search with it is damaged (", e.what(),
                        "); import it again"));
  }
}

template void take_search_defaults(const std::map<std::string, std::string>&,
                                   const std::function<bool(const std::string&)>&, ScoringOptions&);
template void take_search_defaults(const std::map<std::string, std::string>&,
                                   const std::function<bool(const std::string&)>&, BeamOptions&);
template void take_search_defaults(const std::map<std::string, std::string>&,
                                   const std::function<bool(const std::string&)>&, DecodingOptions&);

}  // namespace hexapla::decode
