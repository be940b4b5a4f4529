#pragma once
// Random access to the text in a file, which may be compressed.
#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file.h"

namespace hexapla::data {

class SeekableText {
 public:
  virtual ~SeekableText() = default;
  virtual uint64_t size() const = 0;  // bytes of text
  // Reads the bytes [at, at + size), which must exist. DataError: damaged, or the text contradicts
  // the file's own table; the file was truncated meanwhile.
  virtual void read(uint64_t at, char* to, size_t size) = 0;
  // "gzip" if everything before a place must be unpacked to get there, because there is no table,
  // and this takes noticeable time (more than 1 MiB); otherwise "".
  virtual std::string read_through() const { return ""; }
};

// Reads plain files directly; compressed files by their blocks (data/packed/packed_blocks.h) or, if
// there are none, from the beginning, which requires reading them once here for their size. Memory:
// the decoder's. DataError: as LineReader; UsageError: not a regular file.
std::unique_ptr<SeekableText> open_seekable(const std::string& path);

}  // namespace hexapla::data
