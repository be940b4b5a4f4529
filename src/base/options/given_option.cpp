#include "base/options/given_option.h"

#include "base/nearest.h"

namespace hexapla {

std::string at(const GivenOption& option) { return option.location.empty() ? "" : option.location + ": "; }

void refuse_unknown(const GivenOption& option, const std::vector<std::string>& names) {
  const std::string near = nearest(names, option.name);
  throw UsageError(
      cat(at(option), "unknown option '", option.name, "'", near.empty() ? "" : "; did you mean '" + near + "'?"));
}

bool switched(const std::string& option, const std::string& word) {
  for (const char* on : {"true", "on", "yes", "enable", "1"})
    if (word == on) return true;
  for (const char* off : {"false", "off", "no", "disable", "0"})
    if (word == off) return false;
  throw UsageError(cat("`", option, "` is '", word, "', but must be true or false"));
}

}  // namespace hexapla
