#pragma once
#include <algorithm>
#include <cstddef>
#include <string>

namespace hexapla::text::document {

// The first characters of a line, which name it where lines have no numbers.
inline std::string beginning(const std::string& line) {
  std::size_t end = std::min<std::size_t>(line.size(), 40);
  while (end < line.size() && (line[end] & 0xC0) == 0x80) ++end;
  return line.substr(0, end) + (end < line.size() ? ".." : "");
}

}  // namespace hexapla::text::document
