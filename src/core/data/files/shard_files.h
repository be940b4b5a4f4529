#pragma once
// The outputs of the shards of a text file, each written by its own process: a file with its
// manifest, and joining all of them.
//
//   part-3.de, part-3.de.manifest.json
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/files/hash.h"
#include "data/files/line_range.h"
#include "data/packed/compression.h"

namespace hexapla::data {

// The input and the origin of a shard, and its output.
struct ShardManifest {
  ShardNumber shard;
  std::string input;                           // its path
  uint64_t input_bytes = 0, from = 0, to = 0;  // of the whole file; the shard's bytes [from, to)
  std::string input_hash;                      // of the shard
  std::string made_by;                         // program, model and options, in words
  int64_t lines = 0;                           // lines read, and written
  uint64_t bytes = 0;                          // of the output
  std::string hash;                            // of the output

  std::string to_json() const;
  static ShardManifest read(const std::string& path);  // DataError
};
std::string manifest_of(const std::string& output);  // its path

// The manifest of a shard without the fields of the output.
ShardManifest describe_shard(const RangeReader& reader, const ShardNumber& shard, const std::string& input,
                             const std::string& made_by);
// Whether the output exists, is intact according to its manifest, and was made from the same shard
// in the same way.
bool is_whole(const std::string& output, const ShardManifest& wanted);

// The output of a shard, compressed according to its name (.gz, .zst, .xz). It is renamed when
// complete, and its manifest is written after that. RunError: writing failed.
class ShardWriter {
 public:
  explicit ShardWriter(const std::string& path);
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;
  void write(std::string_view bytes);  // the total must be whole lines
  // Call after the last write(). manifest: from describe_shard(); lines: number read. RunError: a
  // different number was written.
  void finish(ShardManifest manifest, int64_t lines);

 private:
  std::string path_;
  AtomicFile file_;
  Hash hash_;
  std::unique_ptr<Compressor> to_;  // writes to the file, the hash and the count of bytes
  uint64_t bytes_ = 0;
  int64_t lines_ = 0;
};

// Writes the outputs of all shards, in order, to one file, and returns the number of lines. Plain
// outputs are compressed according to its name. DataError: a shard is missing, duplicate, damaged,
// or made from another file or in another way than the others. UsageError: the outputs are
// compressed in another way than the name asks for.
int64_t join_shards(const std::vector<std::string>& outputs, const std::string& joined);

}  // namespace hexapla::data
