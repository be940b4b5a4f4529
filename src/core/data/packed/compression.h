#pragma once
// Streams of bytes that read and write gzip, zstd and xz data.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hexapla::data {

// Sequential bytes. read() fills at most `size` > 0 bytes and returns the number; 0 is the end.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual size_t read(char* to, size_t size) = 0;
};

enum class Compression { none, gzip, zstd, xz };

// Number of leading bytes that identify a file's kind; short files have fewer.
constexpr size_t kCompressionHead = 6;
Compression compression_of(std::string_view head);
// "a zip archive", with advice, if the head shows an unsupported compression; "" otherwise.
std::string unreadable_kind(std::string_view head);

// Truncated or damaged compressed data. Callers that know file and line convert it to a DataError.
struct DamagedBytes {
  std::string what, remedy = "fetch or compress the file again";
};

// The decompressed content of `from`; for Compression::none `from` itself. Consecutive members,
// frames and streams are read as one. read() returns everything decodable before it throws
// DamagedBytes.
std::unique_ptr<Bytes> decompressed(Compression kind, std::unique_ptr<Bytes> from);

// The content of raw deflate data, as in zip archives. Anything after its end is not read.
std::unique_ptr<Bytes> inflated(std::unique_ptr<Bytes> from);

// The CRC-32 of gzip and zip over these bytes and all preceding ones, whose checksum is `before`.
// No bytes: 0.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

// The compression that a file name asks for: .gz, .zst, .xz; none for all other names.
Compression compression_by_name(std::string_view path);

// Compresses the bytes passed to write() and passes them on; finish() must be the last call.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};
std::unique_ptr<Compressor> compressor(Compression kind, std::function<void(std::string_view)> to);

}  // namespace hexapla::data
