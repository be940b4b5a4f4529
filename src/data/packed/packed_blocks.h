#pragma once
// Where in a compressed file one can begin to unpack, without unpacking all before.
#include <cstdint>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "data/files/compression.h"

namespace hexapla::data {

// A piece of a compressed file that can be unpacked by itself.
struct PackedBlock {
  uint64_t at, bytes;                    // in the file
  uint64_t text_at, text_bytes;          // what is inside of it, as the file says
  std::string before = {}, behind = {};  // bytes that make the piece a whole file of its kind
};

class PackedBlocks {
 public:
  virtual ~PackedBlocks() = default;
  virtual size_t count() const = 0;
  virtual PackedBlock operator[](size_t i) const = 0;
};

// The blocks of, and nothing if a file has no table of them, or one that does not go with its size:
// zstd: frames listed in a seek table at the end (contrib/seekable_format of zstd), or several whose headers tell what
//   is inside (RFC 8878);
// gzip: members with their own size in the header, as bgzip writes them (SAM/BAM format, section 4.1);
// xz: blocks of one stream by its index (xz file format 1.2, section 4), as xz --block-size or -T write them.
// The sizes of text add up without overflow, and the blocks fill the file, but whether a block holds what is said of it
// only unpacking it tells. Memory: 16 bytes for a block, of bgzip for sixteen.
std::unique_ptr<PackedBlocks> find_blocks(const FileReader& file);

}  // namespace hexapla::data
