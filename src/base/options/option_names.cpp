#include "base/options/option_names.h"

#include <algorithm>

namespace hexapla {
namespace {

bool is_name(std::string_view text) {
  const auto may_be = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::all_of(text.begin(), text.end(), may_be);
}

}  // namespace

std::string spell_options(std::string_view text, const std::function<std::string(std::string_view)>& spelling) {
  std::string spelled;
  while (true) {
    const size_t from = text.find('`'), to = from == text.npos ? from : text.find('`', from + 1);
    if (to == text.npos) return spelled += text;
    const std::string_view name = text.substr(from + 1, to - from - 1);
    spelled += text.substr(0, from);
    spelled += is_name(name) ? spelling(name) : std::string(text.substr(from, to - from + 1));
    text.remove_prefix(to + 1);
  }
}

std::string as_flag(std::string_view name) { return "--" + std::string(name); }

std::string as_field(std::string_view name) {
  std::string field(name);
  std::replace(field.begin(), field.end(), '-', '_');
  return field;
}

}  // namespace hexapla
