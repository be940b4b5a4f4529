#include "serve/glossaries/entries.h"

#include <algorithm>

#include "base/error.h"
#include "serve/http/message.h"

namespace hexapla::serve {
namespace {

[[noreturn]] void refuse_line(std::size_t line, const std::string& what) {
  throw HttpError(400, cat("entries, line ", line, ": ", what));
}

// Cuts off and returns the text before the next of these characters; removes that character, too.
std::string_view cut(std::string_view& text, const char* ends) {
  const std::size_t n = std::min(text.find_first_of(ends), text.size());
  const std::string_view part = text.substr(0, n);
  text.remove_prefix(std::min(n + 1, text.size()));
  return part;
}

// Cuts off the value at the start of a text and the comma after it. -> whether it is the last of
// its row
bool cut_value(std::string_view& text, std::string& value, std::size_t& line) {
  value.clear();
  const std::size_t first = line;
  const bool quoted = text.starts_with('"');
  if (quoted) {
    for (text.remove_prefix(1);; text.remove_prefix(1)) {
      if (text.empty()) refuse_line(first, "a quotation mark is not closed");
      if (text[0] == '"' && !text.substr(1).starts_with('"')) break;
      if (text[0] == '"') text.remove_prefix(1);
      line += text[0] == '\n';
      value += text[0];
    }
    text.remove_prefix(1);
  }
  const std::size_t end = std::min(text.find_first_of(",\r\n"), text.size());
  if (quoted && end > 0) refuse_line(line, "something follows a closing quotation mark");
  value += text.substr(0, end);
  text.remove_prefix(end);
  const bool last = !text.starts_with(',');
  for (const char* ends = last ? "\r\n" : ","; *ends != '\0'; ++ends)
    if (text.starts_with(*ends)) text.remove_prefix(1);
  return last;
}

}  // namespace

Entries entries_of_tsv(std::string_view text) {
  Entries entries;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view rest = cut(text, "\n");
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    if (rest.empty()) continue;
    if (std::count(rest.begin(), rest.end(), '\t') != 1)
      refuse_line(line, "give a source term, one tab, and a target term");
    const std::string_view source = cut(rest, "\t");
    entries.emplace_back(source, rest);
  }
  return entries;
}

Entries entries_of_csv(std::string_view text) {
  Entries entries;
  std::string value;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::vector<std::string> row;
    const std::size_t first = line;
    for (bool last = false; !last && row.size() < 5;) {
      last = cut_value(text, value, line);
      row.push_back(value);
    }
    if (row == std::vector<std::string>{""}) continue;
    if (row.size() != 2 && row.size() != 4) refuse_line(first, "give source,target or source,target,language,language");
    entries.emplace_back(std::move(row[0]), std::move(row[1]));
  }
  return entries;
}

std::string tsv_of(const Entries& entries) {
  std::string text;
  for (const auto& [source, target] : entries)
    text.append(text.empty() ? "" : "\n").append(source).append("\t").append(target);
  return text;
}

}  // namespace hexapla::serve
