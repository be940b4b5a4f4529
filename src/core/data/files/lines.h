#pragma once
// Text, line by line: a plain, .gz, .zst or .xz file (identified by its first bytes, not its name)
// or stdin.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::data {

// Called before a reader waits for bytes of a pipe or terminal, so that the lines read so far can
// be answered. Never called for regular files. Exceptions pass through next(), which then goes on where it was.
using BeforeWaiting = std::function<void()>;

// The beginning of a line in a plain file, and the number of lines before it.
struct LinePlace {
  uint64_t byte = 0;
  int64_t line = 0;
};

// Lines end only at the byte 0x0A, so that line i of two files stays line i. Removes a "\r" before
// it and a byte order mark at the start of the file; the last line may lack a line end. Memory: the
// longest line. DataError, naming file and line: no such file, a directory, truncated, damaged or
// unsupported compressed data (zip, bzip2, ...), a line above 64 MiB (not a text), lines that end in "\r" alone.
// RunError: reading failed. Also throws Canceled.
class LineReader {
 public:
  // "-" is stdin. from: where to begin in a plain file.
  explicit LineReader(const std::string& path, BeforeWaiting before_waiting = {}, const LinePlace& from = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  bool next(std::string& line);     // false after the last line
  int64_t line_number() const;      // of the line that next() last returned, from 1
  const std::string& name() const;  // for messages: the path, or "stdin"

  // The fraction of the file read so far, from 0 to 1; 0 if its size is unknown (stdin, pipes).
  double share_read() const;

  // The characters removed by next().
  bool had_carriage_return() const;  // from the last line
  bool had_byte_order_mark() const;  // from the start of the file

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// DataError if the only line of a file has several carriage returns: it is a text of a classic Mac.
void refuse_carriage_returns(const std::string& name, const std::string& only_line);

// Reads to the end and returns the number of lines in the file.
int64_t count_to_end(LineReader& reader);

// Writes a text file under a temporary name, compressed according to its name (.gz, .zst, .xz).
// finish() flushes to disk; commit() also renames it. Finish all files that belong together before
// committing the first one. Without commit() nothing remains. RunError: writing failed.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path);
  ~LineWriter();
  LineWriter(LineWriter&&) noexcept;
  void write(std::string_view line);  // appends a line end
  void finish();                      // call after the last line
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::vector<std::string> read_lines(const std::string& path);

}  // namespace hexapla::data
