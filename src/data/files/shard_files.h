#pragma once
// What is made of the parts of a text file, each by a process of its own: a file with its manifest beside it, and all
// of them put together again.
//
//   part-3.de, part-3.de.manifest.json
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/hash.h"
#include "data/files/compression.h"
#include "data/files/line_range.h"

namespace hexapla::data {

// What a part was made of and how, and what it is.
struct ShardManifest {
  ShardNumber shard;
  std::string input;                           // its path
  uint64_t input_bytes = 0, from = 0, to = 0;  // of the whole file; the part's bytes [from, to)
  std::string input_hash;                      // of the part
  std::string made_by;                         // the program, the model and the options, in words
  int64_t lines = 0;                           // read, and written
  uint64_t bytes = 0;                          // of the output
  std::string hash;                            // of the output

  std::string to_json() const;
  static ShardManifest read(const std::string& path);  // DataError
};
std::string manifest_of(const std::string& output);  // its path

// The manifest that a part will have, of all but the output.
ShardManifest describe_shard(const RangeReader& reader, const ShardNumber& shard, const std::string& input,
                             const std::string& made_by);
// Whether the output is there, as whole as its manifest says, and made of the same part in the same way.
bool is_whole(const std::string& output, const ShardManifest& wanted);

// The output of a part, compressed as its name asks for (.gz, .zst, .xz). It gets its name when it is whole, and its
// manifest after that. RunError where the machine cannot.
class ShardWriter {
 public:
  explicit ShardWriter(const std::string& path);
  ShardWriter(const ShardWriter&) = delete;
  ShardWriter& operator=(const ShardWriter&) = delete;
  void write(std::string_view bytes);  // whole lines, in the end
  // After the last. manifest: of describe_shard(); lines: that were read. RunError: another number was written.
  void finish(ShardManifest manifest, int64_t lines);

 private:
  std::string path_;
  AtomicFile file_;
  Hash hash_;
  std::unique_ptr<Compressor> to_;  // into the file, the hash and the count of bytes
  uint64_t bytes_ = 0;
  int64_t lines_ = 0;
};

// Writes the outputs of all parts, in the order of the parts, as one file. -> its lines. Plain parts are compressed as
// its name asks for. DataError: a part that is missing, twice there, damaged, or made of another file or in another way
// than the others. UsageError: the parts are compressed, but not as the name asks for.
int64_t join_shards(const std::vector<std::string>& outputs, const std::string& joined);

}  // namespace hexapla::data
