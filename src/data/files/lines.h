#pragma once
// Text, line by line: a plain file, a .gz, .zst or .xz file (told by their first bytes, not by their names) or stdin.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::data {

// Called before a reader waits for bytes that have not come yet, as those of a pipe or a terminal: the moment to answer
// what has been read. Never for a file on a disk. What it throws comes out of the reader.
using BeforeWaiting = std::function<void()>;

// Where a line of a plain file begins, and how many lines are before it.
struct LinePlace {
  uint64_t byte = 0;
  int64_t line = 0;
};

// Lines end at the byte 0x0A and nowhere else, so that line i of two files stays line i; a "\r" before it goes too, and
// a byte order mark at the start of the file; the last line needs no line end. Memory: the longest line.
// DataError, naming file and line: no such file, a directory, compressed data cut short or damaged or of another kind
// (zip, bzip2, ...), a line above 64 MiB (no text at all). RunError: the machine cannot read on. Canceled, too.
class LineReader {
 public:
  // "-" is stdin. from: of a plain file, where reading begins.
  explicit LineReader(const std::string& path, BeforeWaiting before_waiting = {}, const LinePlace& from = {});
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  bool next(std::string& line);     // false after the last line
  int64_t line_number() const;      // of the line that next() gave last; the first line is 1
  const std::string& name() const;  // for messages: the path, or "stdin"

  // How much of the file's bytes has been read, from 0 to 1; 0 where its size is unknown (stdin, pipes).
  double share_read() const;

  // What next() took away.
  bool had_carriage_return() const;  // from the line it gave last
  bool had_byte_order_mark() const;  // from the start of the file

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Goes to the end and returns the number of lines of the whole file.
int64_t count_to_end(LineReader& reader);

// Writes a text file under a temporary name, compressed as the name asks for (.gz, .zst, .xz); finish() writes what is
// left to the disk, commit() does too and gives it its name. Files that belong together are all finished before the
// first is committed. Without commit() nothing is left. RunError where the machine cannot.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path);
  ~LineWriter();
  LineWriter(LineWriter&&) noexcept;
  void write(std::string_view line);  // and a line end
  void finish();                      // after the last line
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::vector<std::string> read_lines(const std::string& path);

}  // namespace hexapla::data
