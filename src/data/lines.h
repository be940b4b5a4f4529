#pragma once
// Text, line by line: a plain file, a .gz or .zst file (told by their first bytes, not by their names) or stdin.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hexapla {

// Lines end at "\n" or "\r\n"; a byte order mark at the start is dropped; the last line needs no line end.
// DataError: no such file, a directory, compressed data cut short or damaged, a line above 64 MiB (no text at all).
// RunError: the machine cannot read on.
class LineReader {
 public:
  explicit LineReader(const std::string& path);  // "-" is stdin
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  bool next(std::string& line);     // false after the last line
  int64_t line_number() const;      // of the line that next() gave last; the first line is 1
  const std::string& name() const;  // for messages: the path, or "stdin"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::vector<std::string> read_lines(const std::string& path);

}  // namespace hexapla
