#include "decode/lines/opened_line.h"

#include <algorithm>

#include "base/error.h"
#include "base/nearest.h"
#include "text/ascii.h"

namespace hexapla::decode {
namespace {

// "de" of ">>de<< a line"; "": it begins otherwise.
std::string_view named_language(std::string_view line) {
  if (!line.starts_with(">>")) return {};
  const std::string_view name = line.substr(2, line.substr(2).find("<<"));
  const auto in_a_name = [](char c) {
    return text::ascii::is_letter(c) || text::ascii::is_digit(c) || c == '_' || c == '-';
  };
  const bool ends = name.size() + 2 < line.size();
  return ends && name.size() <= 20 && std::all_of(name.begin(), name.end(), in_a_name) ? name : std::string_view();
}

void warn_of_language(const std::string& name, const text::Vocabulary& vocabulary, size_t index,
                      const LineWarning& warn) {
  const std::vector<std::string> languages = vocabulary.languages();
  if (languages.empty()) return;
  const std::string near = nearest(languages, name);
  warn(index, cat(">>", name, "<< is none of the model's ", languages.size(), " languages and was read as text; write ",
                  "one of them, such as >>", near.empty() ? languages.front() : near, "<<"));
}

}  // namespace

OpenedLine opened_line(const text::Vocabulary& target, std::string_view line) {
  if (target.opening() < 0) return {};
  const auto chosen = target.leading(line);
  return {chosen.bytes, chosen.bytes > 0 ? chosen.id : target.opening()};
}

OpenedLine opened_line(const text::Vocabulary& source, const text::Vocabulary& target, std::string_view line,
                       size_t index, const LineWarning& warn) {
  const std::string_view name = named_language(line);
  const text::Vocabulary& vocabulary = target.opening() >= 0 ? target : source;
  if (!name.empty() && warn && vocabulary.leading(line).bytes == 0)
    warn_of_language(std::string(name), vocabulary, index, warn);
  return opened_line(target, line);
}

}  // namespace hexapla::decode
