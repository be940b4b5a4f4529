#pragma once
// Parallel text as a stream of pairs: from two files of which line i translates line i, or from one file with both.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "data/files/lines.h"

namespace hexapla::data {

// The next pair of sentences that a program gives; false after the last one.
using PairFunction = std::function<bool(std::string& source, std::string& target)>;

// A part of the lines of two files, or of one: those behind `source`, or `tsv`, and `target`, up to line `to`. In
// compressed files the lines before are read and left out: there `byte` is 0.
struct LineSpan {
  LinePlace source, target;
  int64_t to = std::numeric_limits<int64_t>::max();
  bool whole() const { return source.line == 0 && to == std::numeric_limits<int64_t>::max(); }
};

// One corpus. Each file may be plain or compressed (see LineReader), or "-" for stdin.
struct ParallelSource {
  std::string source, target;  // two files,
  std::string tsv;             // or one: SOURCE<TAB>TARGET a line, no quoting; then source and target are empty
  PairFunction pairs = {};     // or none: then `tsv` is what messages call them
  LineSpan lines = {};         // of files; what is read of them

  void check() const;              // UsageError: no file, both files and a TSV, source and target both stdin
  bool can_be_read_again() const;  // no stdin, no pipe, no function
};
// DataError: files of different length, or without a line.
void check_line_counts(const std::string& source, int64_t n, const std::string& target, int64_t m);
// What stands for the pairs of a program among the files of an option.
inline constexpr const char* pairs_of_program = "(pairs)";

// Reads pair after pair; in memory are the two lines. Nothing is dropped or checked but what would break the pairing:
// see CheckedReader (data/files/corpus.h) for text that is to be trained on.
//
//   ParallelReader reader({.source = "train.en.gz", .target = "train.de.gz"});   // or {.tsv = "train.tsv.zst"}
//   for (std::string x, y; reader.next(x, y);) use(x, y, reader.line_number());
//   reader.rewind();   // the same pairs again
//
// DataError, naming file, line and remedy: what LineReader finds, files of different length (when the shorter one
// ends: both lengths are told), an empty file, a TSV line with fewer or more than two fields; a program's sentence with
// a line break. UsageError: no file, both files and a TSV, source and target both stdin.
class ParallelReader {
 public:
  explicit ParallelReader(ParallelSource from, BeforeWaiting before_waiting = {});  // see LineReader
  ~ParallelReader();
  ParallelReader(ParallelReader&&) noexcept;
  ParallelReader& operator=(ParallelReader&&) noexcept;

  bool next(std::string& source, std::string& target);  // false after the last pair
  int64_t line_number() const;  // of the pair that next() gave last, in its file or files; the first is 1

  // Back to before the first pair, by opening the files again. UsageError where that cannot be: stdin and pipes.
  void rewind();
  bool can_rewind() const;

  // For messages: a path or "stdin"; of a TSV both are the same.
  const std::string& source_name() const;
  const std::string& target_name() const;
  std::string name() const;  // "a.en + a.de", or "a.tsv"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hexapla::data
