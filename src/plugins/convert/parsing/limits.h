#pragma once
// Limits for untrusted files. Every count, size or offset is compared with the file or with one of
// these limits before memory is reserved or data is read. Real models stay far below them.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "convert/foreign/foreign_tensors.h"

namespace hexapla::convert {

namespace limits {
inline constexpr size_t kTensors = 65536;               // per file
inline constexpr size_t kName = 255;                    // bytes of a tensor's name
inline constexpr size_t kRank = 8;                      // extents of a tensor
inline constexpr size_t kEntries = 65536;               // per zip archive
inline constexpr size_t kEntryName = 1024;              // bytes
inline constexpr size_t kDirectory = size_t{16} << 20;  // bytes of a zip archive's list of entries
inline constexpr size_t kInflation = 200;               // deflated data may grow by this factor,
inline constexpr size_t kAlwaysInflated = 1 << 20;      // or to this many bytes
inline constexpr size_t kPickle = size_t{64} << 20;     // bytes of one pickle
inline constexpr size_t kValues = size_t{1} << 20;      // per pickle, including memoized and repeated ones
inline constexpr size_t kDepth = 32;                    // nested dictionaries and lists
inline constexpr size_t kJson = size_t{64} << 20;       // bytes of a JSON file
inline constexpr size_t kText = size_t{64} << 20;       // bytes of a vocabulary
inline constexpr size_t kPieces = size_t{32} << 20;     // bytes of a SentencePiece model
inline constexpr size_t kTokens = size_t{1} << 22;      // per vocabulary, as in a model
inline constexpr size_t kMerges = size_t{1} << 20;      // of BPE
inline constexpr size_t kKey = 1024;                    // bytes of a setting's name
inline constexpr size_t kShards = 256;                  // files of a split model
}  // namespace limits

// Text of a file for a message: one line, shortened.
std::string shown(std::string_view text);

// DataError naming `file`: a tensor's name is empty, too long, or has control characters.
void check_name(const std::string& file, std::string_view name);

// The bytes of a tensor. place: "x.npz: tensor 'a'", for messages. DataError: the rank is beyond
// the limit, or the product is beyond 63 bits even with zeros replaced by ones, so that no order of
// multiplication can overflow.
size_t checked_bytes(const std::string& place, const std::vector<size_t>& shape, ElementType type);

bool is_file(const std::string& path);

// The content of a file of at most `limit` bytes. DataError: no such file, or it is longer.
std::string read_limited(const std::string& path, size_t limit);

}  // namespace hexapla::convert
