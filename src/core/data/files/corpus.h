#pragma once
// Parallel text: line i of one file is the translation of line i of the other.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/parallel_text.h"

namespace hexapla::data {

struct CorpusChecks {
  int64_t max_line_bytes = 100'000;  // drops pairs with a longer line, which is no sentence
};

struct Corpus {
  std::vector<std::string> source, target;  // equal sizes, no blank lines, valid UTF-8
  std::vector<int64_t> lines;               // line of each pair in its files, from 1
  int64_t file_lines = 0;                   // lines per file, including dropped pairs
  std::vector<std::string> notes;           // what was dropped, how often and where, for the user
  std::string source_name, target_name;

  int64_t size() const { return std::ssize(source); }
};

// Counts pairs dropped for one reason and remembers the first lines.
class DropCount {
 public:
  void add(int64_t line);
  int64_t count() const { return count_; }
  // "a.en + a.de: 7 pairs dropped, one side is blank (lines 3, 9, 12, 40, 41, ...)"
  std::string note(const std::string& where, const std::string& why) const;

 private:
  int64_t count_ = 0;
  std::vector<int64_t> first_;
};

// The checks of every corpus, one pair at a time. Dropped with a note: pairs with a blank line, or
// with a line above max_line_bytes. DataError, naming file, line and remedy: errors of
// ParallelReader, invalid UTF-8, a NUL byte.
class CheckedReader {
 public:
  explicit CheckedReader(ParallelSource from, const CorpusChecks& checks = {});

  bool next(std::string& source, std::string& target);           // the next usable pair; false after the last
  int64_t line_number() const { return reader_.line_number(); }  // of that pair, from 1
  std::vector<std::string> notes() const;                        // pairs dropped so far
  void rewind();                                                 // see ParallelReader; restarts the notes
  const ParallelReader& text() const { return reader_; }

 private:
  DropCount* reason_to_drop(std::string_view source, std::string_view target);  // null: keep it
  ParallelReader reader_;
  CorpusChecks checks_;
  DropCount blank_, source_long_, target_long_;
};

// Reads a whole corpus into memory. Errors as CheckedReader; also DataError if no pair is left.
Corpus read_parallel(const ParallelSource& from, const CorpusChecks& checks = {});
Corpus read_parallel(const std::string& source_path, const std::string& target_path, const CorpusChecks& checks = {});

// One side, for translation or for training a vocabulary. DataError: invalid UTF-8, a NUL byte or
// an empty file. Keeps blank lines, so that output lines match input lines.
std::vector<std::string> read_checked_lines(const std::string& path);

// DataError if the line is not valid UTF-8 or has a NUL byte; names file, line, byte and remedy.
void check_line(std::string_view line, const std::string& name, int64_t line_number);

// Advice for text that is not UTF-8, as a clause of a message (text/encoding.h). `name` as in
// LineReader::name(). `some`: bytes to judge by if the input cannot be read again.
std::string encoding_advice(const std::string& name, std::string_view some);

}  // namespace hexapla::data
