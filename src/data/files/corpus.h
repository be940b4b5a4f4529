#pragma once
// Parallel text: line i of one file is the translation of line i of the other.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/parallel_text.h"

namespace hexapla::data {

struct CorpusChecks {
  int64_t max_line_bytes = 100'000;  // a longer line is dropped with its pair: no sentence is that long
};

struct Corpus {
  std::vector<std::string> source, target;  // of equal size, no line blank, all valid UTF-8
  std::vector<int64_t> lines;               // where each pair stands in its files; the first line is 1
  int64_t file_lines = 0;                   // of each file, those of dropped pairs counted
  std::vector<std::string> notes;           // what was dropped, how often and where, for the user to read
  std::string source_name, target_name;

  int64_t size() const { return static_cast<int64_t>(source.size()); }
};

// Counts what was dropped for one reason and remembers the first places.
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

// What is dropped with a note, and what ends the reading: the checks of every corpus, one pair at a time.
// Dropped: pairs with a blank line, or with a line above max_line_bytes.
// DataError, naming file, line and remedy: what ParallelReader finds, invalid UTF-8, a NUL byte.
class CheckedReader {
 public:
  explicit CheckedReader(ParallelSource from, const CorpusChecks& checks = {});

  bool next(std::string& source, std::string& target);           // the next usable pair; false after the last
  int64_t line_number() const { return reader_.line_number(); }  // of that pair; the first line is 1
  std::vector<std::string> notes() const;                        // what next() has dropped so far
  void rewind();                                                 // see ParallelReader; the notes begin anew
  const ParallelReader& text() const { return reader_; }

 private:
  DropCount* reason_to_drop(std::string_view source, std::string_view target);  // null: none
  ParallelReader reader_;
  CorpusChecks checks_;
  DropCount blank_, source_long_, target_long_;
};

// A whole corpus that fits into memory. Errors as CheckedReader, and DataError where no pair is left.
Corpus read_parallel(const ParallelSource& from, const CorpusChecks& checks = {});
Corpus read_parallel(const std::string& source_path, const std::string& target_path, const CorpusChecks& checks = {});

// One side alone, for translating or training a vocabulary: DataError for invalid UTF-8, a NUL byte or an empty file.
// Blank lines stay, so that output lines keep step with input lines.
std::vector<std::string> read_checked_lines(const std::string& path);

// DataError if the line is not valid UTF-8 or holds a NUL byte; the message names file, line, byte and remedy.
void check_line(std::string_view line, const std::string& name, int64_t line_number);

// Advice on a text that is not UTF-8, a clause for messages (text/encoding.h). `name` as LineReader::name(); if the
// input cannot be read again, the advice rests on `some` of its bytes.
std::string encoding_advice(const std::string& name, std::string_view some);

}  // namespace hexapla::data
