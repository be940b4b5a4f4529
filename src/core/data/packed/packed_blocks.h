#pragma once
// Places in a compressed file where unpacking can begin.
#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "data/packed/compression.h"

namespace hexapla::data {

// Part of a compressed file that can be unpacked independently.
struct PackedBlock {
  uint64_t at, bytes;                    // in the file
  uint64_t text_at, text_bytes;          // the text inside, according to the file
  std::string before = {}, behind = {};  // bytes that make the part a complete file
};

class PackedBlocks {
 public:
  virtual ~PackedBlocks() = default;
  virtual size_t count() const = 0;
  virtual PackedBlock operator[](size_t i) const = 0;
};

// The file's blocks; nothing if it has no table of them, or an inconsistent one:
// zstd: frames listed in a seek table at the end (contrib/seekable_format of zstd), or several
//   frames whose headers state the content's size (RFC 8878);
// gzip: members with their own size in the header, as written by bgzip (SAM/BAM format, section
//   4.1);
// xz: blocks of one stream by its index (xz file format 1.2, section 4), as written by
//   xz --block-size or -T.
// The text sizes add up without overflow, and the blocks fill the file; whether a block has the
// stated content is known only after unpacking it. Memory: 16 bytes per block, for bgzip per
// sixteen blocks.
std::unique_ptr<PackedBlocks> find_blocks(const FileReader& file);

}  // namespace hexapla::data
