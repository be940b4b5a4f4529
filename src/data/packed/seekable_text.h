#pragma once
// The text in a file, which may be compressed, at any place.
#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file.h"

namespace hexapla::data {

class SeekableText {
 public:
  virtual ~SeekableText() = default;
  virtual uint64_t size() const = 0;  // bytes of text
  // The bytes [at, at + size), which the text has. DataError: what is there is damaged, or another text than the file's
  // own table says; somebody has made the file shorter.
  virtual void read(uint64_t at, char* to, size_t size) = 0;
  // "gzip" if everything before a place has to be unpacked to get there, because nothing says what is where, and that
  // is more than a moment's work (1 MiB); else ""
  virtual std::string read_through() const { return ""; }
};

// Plain files at once; compressed files by the blocks that they are made of (data/packed/packed_blocks.h) or, where
// there are none, from the beginning: then it is read here once, for its size. Memory: of the decoder. DataError: as
// LineReader; UsageError: not a regular file.
std::unique_ptr<SeekableText> open_seekable(const std::string& path);

}  // namespace hexapla::data
