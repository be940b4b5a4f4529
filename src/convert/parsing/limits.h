#pragma once
// What a file of a stranger may ask for, in one place. A count, size or offset is compared with the file, or with one
// of these limits, before anything is reserved or read for it. They lie far beyond what real models have.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "convert/foreign_tensors.h"

namespace hexapla::convert {

namespace limits {
inline constexpr size_t tensors = 65536;               // of a file
inline constexpr size_t name = 255;                    // bytes of a tensor's name
inline constexpr size_t rank = 8;                      // extents of a tensor
inline constexpr size_t entries = 65536;               // of a zip archive
inline constexpr size_t entry_name = 1024;             // bytes
inline constexpr size_t directory = size_t{16} << 20;  // bytes of a zip archive's list of entries
inline constexpr size_t inflation = 200;               // deflated data may become so many times as long,
inline constexpr size_t always_inflated = 1 << 20;     // or so many bytes
inline constexpr size_t pickle = size_t{64} << 20;     // bytes of one pickle
inline constexpr size_t values = size_t{1} << 20;      // in one pickle, what it remembers and repeats among them
inline constexpr size_t depth = 32;                    // dictionaries and lists inside of one another
inline constexpr size_t json = size_t{64} << 20;       // bytes of a JSON file
inline constexpr size_t text = size_t{64} << 20;       // bytes of a vocabulary
inline constexpr size_t pieces = size_t{32} << 20;     // bytes of a SentencePiece model
inline constexpr size_t tokens = size_t{1} << 22;      // of a vocabulary, as many as a model may have
inline constexpr size_t merges = size_t{1} << 20;      // of BPE
inline constexpr size_t key = 1024;                    // bytes of a setting's name
inline constexpr size_t shards = 256;                  // files that a model is split into
}  // namespace limits

// Text of a file inside a message: one line, not endless.
std::string shown(std::string_view text);

// DataError naming `file` where a tensor's name is empty, too long, or has control characters.
void check_name(const std::string& file, std::string_view name);

// The bytes that a tensor takes. place: "x.npz: tensor 'a'", for messages. DataError where the rank is beyond the
// limit, or the product beyond 63 bits even if zeros in it were ones: so no order of multiplying overflows later.
size_t checked_bytes(const std::string& place, const std::vector<size_t>& shape, ElementType type);

// Whether there is a regular file at the path.
bool is_file(const std::string& path);

// The content of a file of at most `limit` bytes. DataError where there is none, or it is longer.
std::string read_limited(const std::string& path, size_t limit);

}  // namespace hexapla::convert
