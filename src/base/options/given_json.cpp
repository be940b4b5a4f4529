#include "base/options/given_json.h"

#include <algorithm>

#include "base/option_names.h"

namespace hexapla::detail {

std::optional<std::string> declared_name(const std::string& key, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const std::string& name) { return key == name || key == as_field(name); });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> spelled_as(const std::string& key, const std::vector<std::string>& names) {
  std::vector<std::string> spelled = names;
  if (key.find('-') == key.npos)
    for (std::string& name : spelled) name = as_field(name);
  return spelled;
}

}  // namespace hexapla::detail
