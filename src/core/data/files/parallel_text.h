#pragma once
// Parallel text as a stream of pairs: from two files with matching lines, or from one file with
// both sides.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "data/files/lines.h"

namespace hexapla::data {

// Returns the next sentence pair of a program; false after the last one.
using PairFunction = std::function<bool(std::string& source, std::string& target)>;

// Some lines of two files, or of one: those after `source` (also used for `tsv`) and `target`, up
// to line `to`. In compressed files the lines before are read and skipped; their `byte` is 0.
struct LineSpan {
  LinePlace source, target;
  int64_t to = std::numeric_limits<int64_t>::max();
  bool whole() const { return source.line == 0 && to == std::numeric_limits<int64_t>::max(); }
};

// One corpus. Files may be plain or compressed (see LineReader), or "-" for stdin.
struct ParallelSource {
  std::string source, target;  // two files,
  std::string tsv;             // or one: SOURCE<TAB>TARGET per line, no quoting; source and target are empty
  PairFunction pairs = {};     // or none: `tsv` is their name in messages
  LineSpan lines = {};         // the lines to read from files

  void check() const;              // UsageError: no file, both files and a TSV, source and target both stdin
  bool can_be_read_again() const;  // not stdin, a pipe or a function
};
// DataError: files of different length, or without a line.
void check_line_counts(const std::string& source, int64_t n, const std::string& target, int64_t m);
// Represents a program's pairs among the files of an option.
inline constexpr const char* kPairsOfProgram = "(pairs)";

// Reads one pair at a time, with only these two lines in memory. Nothing is dropped or checked
// except what would break the pairing: use CheckedReader (data/files/corpus.h) for training text.
//
//   ParallelReader reader({.source = "train.en.gz", .target = "train.de.gz"});   // or {.tsv = "train.tsv.zst"}
//   for (std::string x, y; reader.next(x, y);) use(x, y, reader.line_number());
//   reader.rewind();   // the same pairs again
//
// DataError, naming file, line and remedy: errors of LineReader, files of different length (states
// both lengths when the shorter one ends), an empty file, a TSV line without exactly two fields; a
// line break in a program's sentence. UsageError: no file, both files and a TSV, source and target
// both stdin.
class ParallelReader {
 public:
  explicit ParallelReader(ParallelSource from, BeforeWaiting before_waiting = {});  // see LineReader
  ~ParallelReader();
  ParallelReader(ParallelReader&&) noexcept;
  ParallelReader& operator=(ParallelReader&&) noexcept;

  bool next(std::string& source, std::string& target);  // false after the last pair
  int64_t line_number() const;                          // of that pair, in each file; from 1

  // Restarts before the first pair by reopening the files. UsageError: stdin or a pipe.
  void rewind();
  bool can_rewind() const;

  // For messages: a path or "stdin"; the same for both sides of a TSV.
  const std::string& source_name() const;
  const std::string& target_name() const;
  std::string name() const;  // "a.en + a.de", or "a.tsv"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hexapla::data
