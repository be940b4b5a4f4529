#pragma once
// A part of a large text file, read without reading the rest: what one of many processes translates.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/hash.h"
#include "data/packed/seekable_text.h"

namespace hexapla::data {

// The i-th of n parts of a file, i from 1.
struct ShardNumber {
  int64_t number = 1, of = 1;
  static ShardNumber parse(const std::string& option, const std::string& text);  // "3/8"; UsageError
  std::string text() const;
};

// A line belongs to the part in whose bytes [size (i - 1) / n, size i / n) it begins: to exactly one, whatever the
// lengths of the lines. Of a compressed file the bytes of the text count, so its parts are those of the plain file.
// Lines are those of LineReader (data/files/lines.h). Memory: the longest line and a block.
class RangeReader {
 public:
  // Errors as open_seekable.
  RangeReader(const std::string& path, const ShardNumber& shard);

  bool next(std::string& line);                  // false after the last line of the part
  int64_t line_number() const { return line_; }  // of the line that next() gave last, in the part; the first is 1
  uint64_t from() const { return from_; }        // bytes: where the part's first line begins,
  uint64_t to() const { return to_; }            // and that of the part behind it
  uint64_t file_size() const { return text_->size(); }  // bytes of text
  std::string hash() const;                             // of the part's bytes, which this reads
  // That everything before the part had to be unpacked, and how to get a file where it has not; "": it has not.
  std::string note() const;

 private:
  uint64_t line_begin(uint64_t at) const;
  bool refill();

  std::string path_;
  std::unique_ptr<SeekableText> text_;
  uint64_t from_ = 0, to_ = 0, at_ = 0;
  std::string block_;
  size_t taken_ = 0;  // of the block
  int64_t line_ = 0;
};

// Can a part be read without the rest? Of a regular file that is not compressed.
bool has_parts(const std::string& path);
// How many lines begin in the part, and where the one behind `lines` of them begins. Errors as RangeReader.
int64_t count_lines(const std::string& path, const ShardNumber& part);
uint64_t place_behind(const std::string& path, const ShardNumber& part, int64_t lines);

}  // namespace hexapla::data
