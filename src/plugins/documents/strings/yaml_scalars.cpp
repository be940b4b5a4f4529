#include "documents/strings/yaml_scalars.h"

#include <algorithm>

#include "documents/strings/string_lines.h"
#include "text/ascii.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using text::ascii::is_digit, text::ascii::is_letter, text::ascii::is_space;

constexpr std::string_view kYamlBlanks = " \t\r\n";
constexpr std::size_t kNowhere = std::string_view::npos;

bool one_of(char c, std::string_view all) { return all.find(c) != all.npos; }

// Skips an anchor and a tag, and the comments and line ends after them.
std::size_t after_properties(std::string_view yaml, std::size_t at) {
  while (at < yaml.size()) {
    if (one_of(yaml[at], "&!"))
      at = std::min(yaml.find_first_of(kYamlBlanks, at), yaml.size());
    else if (yaml[at] == '#')
      at = std::min(yaml.find('\n', at), yaml.size());
    else if (is_space(yaml[at]))
      ++at;
    else
      break;
  }
  return at;
}

std::size_t after_quotes(std::string_view yaml, std::size_t at) {
  const char quote = yaml[at];
  for (++at; at < yaml.size(); ++at) {
    if (quote == '"' && yaml[at] == '\\') {
      ++at;
    } else if (yaml[at] == quote) {
      if (quote == '"' || yaml.substr(at + 1, 1) != "'") return at + 1;
      ++at;
    }
  }
  return kNowhere;
}

// Folds line ends: one alone is read as a space, N in a row as N - 1 line ends.
std::size_t after_plain(std::string_view yaml, std::size_t at, std::string_view value) {
  while (!value.empty()) {
    const std::string_view gap = yaml.substr(at, yaml.find_first_not_of(kYamlBlanks, at) - at);
    const auto ends = static_cast<std::size_t>(std::count(gap.begin(), gap.end(), '\n'));
    const std::string read = gap.empty() ? std::string(yaml.substr(at, 1))
                             : ends == 0 ? std::string(gap)
                             : ends == 1 ? " "
                                         : std::string(ends - 1, '\n');
    if (read.empty() || !value.starts_with(read)) return kNowhere;
    value.remove_prefix(read.size());
    at += std::max<std::size_t>(gap.size(), 1);
  }
  return at;
}

// Removes the first line from the text and returns it with its end.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}
bool is_blank_line(std::string_view line) { return line.find_first_not_of(kYamlBlanks) == kNowhere; }
std::size_t spaces_before(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::size_t spaces_of_first_line(std::string_view text) {
  while (!text.empty())
    if (const std::string_view line = take_line(text); !is_blank_line(line)) return spaces_before(line);
  return kNowhere;
}

// The string itself tells which leading spaces belong to it: a header may set the indentation
// ("|2").
std::optional<YamlScalar> block_at(std::string_view yaml, std::size_t at, std::string_view value) {
  std::string_view rest = yaml.substr(at);
  YamlScalar block{YamlStyle::block, at, at + take_line(rest).size(), 0};
  const std::size_t in_file = spaces_of_first_line(rest), in_value = spaces_of_first_line(value);
  if (in_file == kNowhere || in_value == kNowhere || in_file < in_value) return {};
  block.indent = in_file - in_value;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (!is_blank_line(line) && spaces_before(line) < block.indent) break;
    block.end += line.size();
  }
  return block;
}

bool is_number_or_time(std::string_view plain) {
  if (!plain.empty() && one_of(plain[0], "+-")) plain.remove_prefix(1);
  if (plain.starts_with(".")) plain.remove_prefix(1);
  if (plain.empty() || !is_digit(plain[0])) return false;
  if (plain.starts_with("0x") || plain.starts_with("0X"))
    return plain.find_first_not_of("0123456789abcdefABCDEF_", 2) == kNowhere;
  for (std::size_t i = 1; i < plain.size(); ++i)
    if (!is_digit(plain[i]) &&
        (!one_of(plain[i], "_.,:+- eEtTzZob") || (is_letter(plain[i]) && is_letter(plain[i - 1]))))
      return false;
  return true;
}

// Control characters, and those that YAML 1.1 reads as a line end or a byte order mark.
bool is_escaped(char32_t c) { return c < ' ' || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF; }

bool needs_escapes(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, bytes] = text::code_point_at(text, at);
    if (is_escaped(c)) return true;
    at += bytes;
  }
  return false;
}

bool stays_plain(std::string_view text, bool flow) {
  if (text.empty() || is_other_than_string(text) || one_of(text[0], "-?:,[]{}#&*!|>'\"%@` ")) return false;
  if (text.starts_with("...") || one_of(text.back(), ": ") || (flow && text.find_first_of(",[]{}:") != kNowhere))
    return false;
  return text.find(": ") == kNowhere && text.find(" #") == kNowhere;
}

}  // namespace

std::optional<YamlScalar> yaml_scalar_at(std::string_view yaml, std::size_t at, std::string_view value) {
  at = after_properties(yaml, at);
  if (at == yaml.size()) return {};
  const char c = yaml[at];
  if (one_of(c, "|>")) return block_at(yaml, at, value);
  const bool quoted = one_of(c, "'\"");
  const std::size_t end = quoted ? after_quotes(yaml, at) : after_plain(yaml, at, value);
  if (end == kNowhere) return {};
  const YamlStyle style = !quoted ? YamlStyle::plain : c == '"' ? YamlStyle::double_quoted : YamlStyle::single_quoted;
  return YamlScalar{style, at, end, 0};
}

bool is_other_than_string(std::string_view plain) {
  constexpr std::string_view words[] = {"~", "null", "true", "false", "yes",  "no", "on",
                                        "y", "n",    "off",  ".inf",  ".nan", "<<", "="};
  const std::string_view unsigned_word = plain.substr(!plain.empty() && one_of(plain[0], "+-") ? 1 : 0);
  if (std::find(std::begin(words), std::end(words), text::ascii::lower(unsigned_word)) != std::end(words)) return true;
  return (plain.starts_with(":") && plain.find(' ') == kNowhere) || is_number_or_time(plain);
}

std::string yaml_scalar(std::string_view text, YamlStyle style, bool flow) {
  if (style == YamlStyle::double_quoted || needs_escapes(text)) return '"' + yaml_escaped(text) + '"';
  if (style == YamlStyle::plain && stays_plain(text, flow)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string yaml_escaped(std::string_view text) {
  const std::string json = json_escaped(text);
  std::string escaped;
  for (std::size_t at = 0; at < json.size();) {
    const auto [c, bytes] = text::code_point_at(json, at);
    if (is_escaped(c))
      for (const char unit : {'\\', 'u', "0123456789ABCDEF"[c >> 12], "0123456789ABCDEF"[c >> 8 & 15],
                              "0123456789ABCDEF"[c >> 4 & 15], "0123456789ABCDEF"[c & 15]})
        escaped += unit;
    else
      escaped += json.substr(at, bytes);
    at += bytes;
  }
  return escaped;
}

}  // namespace hexapla::text::document
