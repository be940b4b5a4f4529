#pragma once
// Splits a file into lines, with any kind of line end.
#include <algorithm>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct FileLine {
  std::string_view text, end;  // the line, and its end: \n, \r\n, \r, or empty at the end of the file
};

inline std::vector<FileLine> file_lines(std::string_view content) {
  std::vector<FileLine> lines;
  while (!content.empty()) {
    const std::size_t text = std::min(content.find_first_of("\r\n"), content.size());
    const std::size_t end = content.substr(text, 2) == "\r\n" ? 2 : text < content.size() ? 1 : 0;
    lines.push_back({content.substr(0, text), content.substr(text, end)});
    content.remove_prefix(text + end);
  }
  return lines;
}

// The length of the UTF-8 byte order mark at the beginning; 0: there is none.
inline std::size_t size_of_mark(std::string_view content) { return content.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

}  // namespace hexapla::text::document
