#pragma once
// Part of a large text file, read without the rest: the share of one of many processes.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/files/hash.h"
#include "data/packed/seekable_text.h"

namespace hexapla::data {

// Part i of n of a file, i from 1.
struct ShardNumber {
  int64_t number = 1, of = 1;
  static ShardNumber parse(const std::string& option, const std::string& text);  // "3/8"; UsageError
  std::string text() const;
};

// A line belongs to the part whose bytes [size (i - 1) / n, size i / n) contain its beginning,
// hence to exactly one. Positions in compressed files refer to the text, so the parts equal those
// of the plain file. Lines are LineReader's (data/files/lines.h). Memory: the longest line and a
// block.
class RangeReader {
 public:
  // Errors as open_seekable.
  RangeReader(const std::string& path, const ShardNumber& shard);

  bool next(std::string& line);                  // false after the last line of the part
  int64_t line_number() const { return line_; }  // of the line that next() last returned, within the part, from 1
  uint64_t from() const { return from_; }        // bytes: beginning of the part's first line,
  uint64_t to() const { return to_; }            // and of the next part's first line
  uint64_t file_size() const { return text_->size(); }  // bytes of text
  std::string hash() const;                             // of the part's bytes, which this reads
  // If everything before the part had to be unpacked: says so, and how to avoid it; otherwise "".
  std::string note() const;

 private:
  uint64_t line_begin(uint64_t at) const;
  bool refill();

  std::string path_;
  std::unique_ptr<SeekableText> text_;
  uint64_t from_ = 0, to_ = 0, at_ = 0;
  std::string block_;
  size_t taken_ = 0;  // from the block
  int64_t line_ = 0;
};

// Whether a part can be read without the rest: an uncompressed regular file.
bool has_parts(const std::string& path);
// The number of lines that begin in the part, and the place after the first `lines` of them. Errors
// as RangeReader.
int64_t count_lines(const std::string& path, const ShardNumber& part);
uint64_t place_behind(const std::string& path, const ShardNumber& part, int64_t lines);

}  // namespace hexapla::data
