#pragma once
// Streams of bytes: out of and into gzip, zstd and xz data.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hexapla::data {

// Bytes in order. read() fills at most `size` bytes, size > 0, and returns how many; 0 is the end.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual size_t read(char* to, size_t size) = 0;
};

enum class Compression { none, gzip, zstd, xz };

// The first bytes of a file that tell its kind; fewer if the file has fewer.
constexpr size_t kCompressionHead = 6;
Compression compression_of(std::string_view head);
// "a zip archive" for a head that is compressed in a way not read here, and how to unpack it; "" for all others.
std::string unreadable_kind(std::string_view head);

// Compressed data that is cut short or damaged. Whoever knows file and line makes a DataError of it.
struct DamagedBytes {
  std::string what, remedy = "fetch or compress the file again";
};

// What is inside of `from`; for Compression::none `from` itself. Members, frames and streams that follow one another
// are read as one. All that could be decoded is given out before read() throws DamagedBytes.
std::unique_ptr<Bytes> decompressed(Compression kind, std::unique_ptr<Bytes> from);

// What is inside of raw deflate data, as the entries of zip archives have it. What follows its end is not read.
std::unique_ptr<Bytes> inflated(std::unique_ptr<Bytes> from);

// The checksum of gzip and zip, CRC-32, of all bytes before, which have `before`, and these. 0 of no bytes.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0);

// The way to compress that a file's name asks for: .gz, .zst, .xz; none for every other name.
Compression compression_by_name(std::string_view path);

// Compresses what write() gets and hands it on; finish() is the last call.
class Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;
};
std::unique_ptr<Compressor> compressor(Compression kind, std::function<void(std::string_view)> to);

}  // namespace hexapla::data
