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
  const auto* const function = spelling.target<std::string (*)(std::string_view)>();
  const bool for_program = function && *function == as_flag;
  std::string spelled;
  while (true) {
    const size_t from = text.find('`');
    const bool of_program = text.substr(std::min(from, text.size())).starts_with("`{");
    const std::string_view ending = of_program ? "}`" : "`";
    const size_t to = from == text.npos ? from : text.find(ending, from + 1);
    if (to == text.npos) return spelled += text;
    const std::string_view name = text.substr(from + 1, to - from - 1);
    spelled += text.substr(0, from);
    if (!of_program)
      spelled += is_name(name) ? spelling(name) : std::string(text.substr(from, to - from + 1));
    else if (for_program)
      spelled += spell_options(name.substr(1), spelling);
    text.remove_prefix(to + ending.size());
  }
}

std::string as_flag(std::string_view name) { return "--" + std::string(name); }

std::string as_field(std::string_view name) {
  std::string field(name);
  std::replace(field.begin(), field.end(), '-', '_');
  return field;
}

}  // namespace hexapla
