#include "document/text/text_lines.h"

#include <algorithm>

#include "text/utf8.h"

namespace hexapla::document {

TextLines::TextLines(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    std::vector<Part>& parts = texts_.emplace_back();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find('\n', at), text.size());
      const std::size_t end = next > at && next < text.size() && text[next - 1] == '\r' ? next - 1 : next;
      std::string line = text.substr(at, end - at), ending = text.substr(end, next + 1 - end);
      if (text::has_text(line)) {
        parts.push_back({true, lines().size(), std::move(ending)});
        add_line(std::move(line), false);
      } else {
        parts.push_back({false, 0, line + ending});
      }
      at = next + 1;
    }
  }
}

std::string TextLines::joined(std::size_t text, const Lines& found, std::size_t rank) const {
  std::string whole;
  for (const Part& part : texts_[text]) {
    if (part.translated) whole += of_rank(found[part.line], rank).text;
    whole += part.kept;
  }
  return whole;
}

std::size_t TextLines::ranks(std::size_t text, const Lines& found) const {
  std::size_t most = 0;
  for (const Part& part : texts_[text])
    if (part.translated) most = std::max(most, found[part.line].size());
  return most;
}

}  // namespace hexapla::document
