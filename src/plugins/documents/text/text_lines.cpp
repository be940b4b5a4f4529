#include "documents/text/text_lines.h"

#include <algorithm>

#include "documents/file_lines.h"
#include "text/lines/marks.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

// The bytes before the first and after the last character that is not whitespace.
struct Blanks {
  std::size_t before = 0, after = 0;
};
Blanks blanks_around(std::string_view line) {
  Blanks blanks{size_of_mark(line), line.size()};
  std::size_t end = blanks.before;
  for (std::size_t at = blanks.before; at < line.size();) {
    const std::string_view c = text::character_at(line, at);
    at += c.size();
    if (text::is_blank(c) && end == blanks.before) blanks.before = end = at;
    if (!text::is_blank(c)) end = at;
  }
  blanks.after = line.size() - end;
  return blanks;
}

}  // namespace

TextLines::TextLines(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    std::vector<Part>& parts = texts_.emplace_back();
    std::string before;
    for (const FileLine& line : file_lines(text)) {
      const Blanks blanks = text::has_text(line.text) ? blanks_around(line.text) : Blanks{line.text.size(), 0};
      before += line.text.substr(0, blanks.before);
      if (blanks.before < line.text.size()) {
        parts.push_back({std::move(before), true, lines().size()});
        add_line(std::string(line.text.substr(blanks.before, line.text.size() - blanks.before - blanks.after)), false);
        before = line.text.substr(line.text.size() - blanks.after);
      }
      before += line.end;
    }
    parts.push_back({std::move(before), false, 0});
  }
}

std::string TextLines::joined(std::size_t text, const Lines& found, std::size_t rank) const {
  std::string whole;
  for (const Part& part : texts_[text]) {
    whole += part.before;
    if (part.translated) whole += of_rank(found[part.line], rank).text;
  }
  return whole;
}

std::size_t TextLines::ranks(std::size_t text, const Lines& found) const {
  std::size_t most = 0;
  for (const Part& part : texts_[text])
    if (part.translated) most = std::max(most, found[part.line].size());
  return most;
}

}  // namespace hexapla::text::document
