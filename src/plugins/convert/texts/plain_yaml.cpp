#include "convert/texts/plain_yaml.h"

#include <optional>

#include "base/error.h"
#include "convert/parsing/limits.h"
#include "text/utf8.h"

namespace hexapla::convert {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const size_t from = text.find_first_not_of(blanks);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) + 1 - from);
}

// Three dashes begin a document.
bool is_start(std::string_view line) { return line.size() == 3 && line.find_first_not_of('-') == line.npos; }

// Calls f(line, line number from 1) up to the first NUL.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  text = text.substr(0, text.find('\0'));
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    f(line, number);
  }
}

// Decodes the character after a backslash, with the two digits of \x.
void take_escaped(std::string_view& rest, std::string& to) {
  const char c = rest.front();
  rest.remove_prefix(1);
  if (c != 'x') {
    to += c == 'n' ? '\n' : c == 't' ? '\t' : c == '0' ? '\0' : c;
    return;
  }
  const std::string digits(rest.substr(0, 2));
  rest.remove_prefix(digits.size());
  const int64_t code = parse_number<int64_t>("0x" + digits).value_or('?');  // below 256
  if (code >= 0x80) to += static_cast<char>(0xC0 | code >> 6);
  to += static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3F) : code);
}

std::string unquoted(std::string_view scalar) {
  if (scalar.size() < 2 || scalar.front() != scalar.back() || (scalar.front() != '"' && scalar.front() != '\''))
    return std::string(scalar);
  const char quote = scalar.front();
  std::string_view rest = scalar.substr(1, scalar.size() - 2);
  std::string value;
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (quote == '"' && c == '\\' && !rest.empty())
      take_escaped(rest, value);
    else
      value += c;
    if (quote == '\'' && c == '\'' && rest.starts_with('\'')) rest.remove_prefix(1);  // a doubled quote
  }
  return value;
}

// Removes a comment: a # at the beginning or after a blank, outside quotes.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote != 0) {
      if (line[i] == quote) quote = 0;
    } else if (line[i] == '"' || line[i] == '\'') {
      quote = line[i];
    } else if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return line.substr(0, i);
    }
  }
  return line;
}

// Where the key of "key: value" ends; npos: there is none.
size_t key_end(std::string_view content) {
  if (content.ends_with(':') && content.find(": ") == content.npos) return content.size() - 1;
  return content.find(": ");
}

}  // namespace

PlainYaml::PlainYaml(std::string_view text, const std::string& name) : name_(name) {
  if (text.size() > kMaxBytes)
    throw DataError(cat(name, ": the settings have ", text.size(), " bytes; allowed are ", kMaxBytes));
  std::vector<std::string>* list = nullptr;
  for_each_line(text, [&](std::string_view line, size_t number) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content.front() == '#' || content == "[]" || is_start(content)) return;
    if (content == "-" || content.starts_with("- ")) {
      if (!list) throw DataError(cat(name, ":", number, ": an item of a list without a key; the file is damaged"));
      list->push_back(unquoted(trimmed(content.substr(1))));
      return;
    }
    const size_t colon = content.find(':');
    const bool nested = line.front() == ' ' || line.front() == '\t';
    if (nested || colon == content.npos)
      throw DataError(cat(name, ":", number, ": '", text::printable(content.substr(0, 60), ""),
                          "' is no 'key: value' of the first level, and settings of this kind have no others"));
    const std::string key = unquoted(trimmed(content.substr(0, colon)));
    put(key, trimmed(content.substr(colon + 1)), number);
    list = &values_[key];
  });
}

void PlainYaml::put(const std::string& key, std::string_view value, size_t line) {
  if (key.size() > limits::kKey)
    throw DataError(cat(name_, ":", line, ": a name of ", key.size(), " bytes; allowed are ", limits::kKey));
  std::vector<std::string>& list = values_[key];
  list.clear();
  if (value.starts_with('[') && value.ends_with(']')) {
    for (value = value.substr(1, value.size() - 2); !trimmed(value).empty();) {
      const size_t comma = value.find(',');
      list.push_back(unquoted(trimmed(value.substr(0, comma))));
      value.remove_prefix(comma == value.npos ? value.size() : comma + 1);
    }
  } else if (value.starts_with('|') || value.starts_with('>') || value.starts_with('&') || value.starts_with('*')) {
    throw DataError(cat(name_, ":", line, ": '", text::printable(value.substr(0, 60), ""), "' is no plain value of '",
                        text::printable(key, ""), "'; write it on the line of its key"));
  } else if (!value.empty()) {
    list.push_back(unquoted(value));
  }
}

PlainYaml PlainYaml::read_nested(const std::string& path) {
  struct Level {
    size_t indent;
    std::string prefix;  // of this level's keys
  };
  PlainYaml yaml(path);
  std::vector<Level> levels{{0, ""}};
  std::string last;  // the previous line's key
  for_each_line(read_limited(path, kMaxBytes), [&](std::string_view line, size_t number) {
    const std::string_view content = trimmed(without_comment(line));
    if (content.empty() || is_start(content)) return;
    if (content == "-" || content.starts_with("- ")) {
      yaml.values_[last].push_back(unquoted(trimmed(content.substr(1))));
      return;
    }
    const size_t indent = line.find_first_not_of(' '), colon = key_end(content);
    if (line[indent] == '\t' || colon == content.npos)
      throw DataError(cat(path, ":", number, ": '", text::printable(content.substr(0, 60), ""),
                          "' is no 'key: value' that is set in by blanks"));
    while (levels.size() > 1 && indent < levels.back().indent) levels.pop_back();
    if (indent > levels.back().indent) levels.push_back({indent, last + "."});
    if (levels.size() > limits::kDepth) throw DataError(cat(path, ":", number, ": its levels are too many"));
    last = levels.back().prefix + unquoted(trimmed(content.substr(0, colon)));
    yaml.put(last, trimmed(content.substr(colon + 1)), number);
  });
  return yaml;
}

PlainYaml PlainYaml::read(const std::string& path) { return {read_limited(path, kMaxBytes), path}; }

bool PlainYaml::has(const std::string& key) const { return values_.contains(key); }

std::vector<std::string> PlainYaml::keys() const {
  std::vector<std::string> all;
  for (const auto& [key, values] : values_) all.push_back(key);
  return all;
}

std::vector<std::string> PlainYaml::list(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::string PlainYaml::word(const std::string& key, const std::string& otherwise) const {
  const std::vector<std::string> all = list(key);
  return !has(key) ? otherwise : all.empty() ? "" : all.front();
}

void PlainYaml::refuse(const std::string& key, const std::string& allowed) const {
  throw DataError(cat(name_, ": '", key, "' is ",
                      has(key) ? "'" + text::printable(word(key, "").substr(0, 60), "") + "'" : "missing",
                      "; allowed is ", allowed));
}

bool PlainYaml::flag(const std::string& key, bool otherwise) const {
  const std::string value = word(key, otherwise ? "true" : "false");
  const bool yes = value == "true" || value == "True";
  if (!yes && value != "false" && value != "False") refuse(key, "true or false");
  return yes;
}

int64_t PlainYaml::whole(const std::string& key, const Range<int64_t>& allowed) const {
  const auto value = parse_number<int64_t>(word(key, ""));
  if (!value || !allowed.has(*value)) refuse(key, allowed.requirement());
  return *value;
}

double PlainYaml::number(const std::string& key, const Range<double>& allowed, double otherwise) const {
  if (!has(key)) return otherwise;
  const auto value = parse_number<double>(word(key, ""));
  if (!value || !allowed.has(*value)) refuse(key, allowed.requirement());
  return *value;
}

std::vector<std::string> read_yaml_piece_ids(const std::string& path, size_t most) {
  std::vector<std::string> pieces;
  std::optional<std::string> complex;  // the key of "? key", whose id is on the next line
  for_each_line(read_limited(path, limits::kText), [&](std::string_view line, size_t number) {
    if (trimmed(line).empty()) return;
    if (!complex && line.starts_with("? ")) {
      complex = unquoted(trimmed(line.substr(2)));
      return;
    }
    const size_t colon = line.rfind(':');
    const auto id =
        colon == line.npos ? std::nullopt : parse_number<int64_t>(std::string(trimmed(line.substr(colon + 1))));
    const std::string piece = complex ? *complex : unquoted(trimmed(line.substr(0, colon)));
    complex.reset();
    const std::string where = cat(path, ":", number, ": ");
    if (!id || piece.empty())
      throw DataError(
          cat(where, "'", text::printable(line.substr(0, 60), ""), "' is no 'piece: id'; the file is damaged"));
    if (*id < 0 || static_cast<size_t>(*id) >= most)
      throw DataError(
          cat(where, "the id is ", *id, ", but the model has ", most, " pieces; the files do not belong together"));
    if (static_cast<size_t>(*id) >= pieces.size()) pieces.resize(static_cast<size_t>(*id) + 1);
    if (!pieces[*id].empty()) throw DataError(cat(where, "the id ", *id, " has two pieces; the file is damaged"));
    pieces[*id] = piece;
  });
  return pieces;
}

}  // namespace hexapla::convert
