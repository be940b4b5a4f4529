#include "data/packed/packed_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hexapla::data {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers in these files have their lowest byte first");

constexpr uint64_t kMostText = uint64_t{1} << 62, kLargestTable = uint64_t{1} << 30;
constexpr uint64_t kJoinedText = uint64_t{1} << 20;  // bytes of text up to which small neighbors are joined

template <class T>
T number_at(const FileReader& file, uint64_t at) {
  T n{};
  file.read(at, &n, sizeof(n));
  return n;
}
template <class T>
T number_in(std::string_view bytes, size_t at) {
  T n{};
  std::memcpy(&n, bytes.data() + at, sizeof(n));
  return n;
}

std::string read_some(const FileReader& file, uint64_t at, size_t size) {
  std::string bytes(size, '\0');
  file.read(at, bytes.data(), size);
  return bytes;
}

// Consecutive blocks from byte 0 on.
class Neighbors final : public PackedBlocks {
 public:
  // false: more text than a file can have
  bool add(uint64_t bytes, uint64_t text_bytes) {
    if (text_bytes > kMostText - text_) return false;
    bytes_ += bytes, text_ += text_bytes;
    ends_.emplace_back(bytes_, text_);
    return true;
  }
  // Joins the previous block if that is small.
  bool join(uint64_t bytes, uint64_t text_bytes) {
    if (ends_.empty() || begin_of(ends_.size()).second - begin_of(ends_.size() - 1).second >= kJoinedText)
      return add(bytes, text_bytes);
    ends_.pop_back();
    return add(bytes, text_bytes);
  }
  uint64_t bytes() const { return bytes_; }
  size_t count() const override { return ends_.size(); }
  PackedBlock operator[](size_t i) const override {
    const auto [at, text_at] = begin_of(i);
    return {at, ends_[i].first - at, text_at, ends_[i].second - text_at};
  }

 private:
  std::pair<uint64_t, uint64_t> begin_of(size_t i) const {
    return i == 0 ? std::pair<uint64_t, uint64_t>{} : ends_[i - 1];
  }

  std::vector<std::pair<uint64_t, uint64_t>> ends_;  // positions in the file and in the text
  uint64_t bytes_ = 0, text_ = 0;
};

using Found = std::unique_ptr<PackedBlocks>;

// The seek table: a skippable frame with 8 or 12 bytes per frame, their number, a byte of flags, a
// magic number.
Found zstd_by_seek_table(const FileReader& file) {
  constexpr uint32_t skipped = 0x184D2A5E, magic = 0x8F92EAB1;
  constexpr uint64_t head = 8, foot = 9;
  const uint64_t size = file.size();
  if (size < head + foot || number_at<uint32_t>(file, size - 4) != magic) return {};
  const auto flags = number_at<uint8_t>(file, size - 5);
  const uint64_t frames = number_at<uint32_t>(file, size - foot), entry = (flags & 0x80) != 0 ? 12 : 8;
  const uint64_t table = frames * entry;
  if ((flags & 0x7C) != 0 || table > std::min(kLargestTable, size - head - foot)) return {};
  const uint64_t begin = size - foot - table - head;
  if (number_at<uint32_t>(file, begin) != skipped || number_at<uint32_t>(file, begin + 4) != table + foot) return {};
  const std::string entries = read_some(file, begin + head, table);
  auto blocks = std::make_unique<Neighbors>();
  for (uint64_t i = 0; i < frames; ++i)
    if (!blocks->add(number_in<uint32_t>(entries, i * entry), number_in<uint32_t>(entries, i * entry + 4))) return {};
  if (blocks->bytes() != begin) return {};
  return blocks;
}

// Bytes of the frame at this place, and of its content; nothing if the header does not state it, or
// it is not a frame.
std::optional<std::pair<uint64_t, uint64_t>> zstd_frame(const FileReader& file, uint64_t at) {
  constexpr uint32_t magic = 0xFD2FB528, skipped = 0x184D2A50;
  constexpr std::array<uint64_t, 4> sizes_of_id{0, 1, 2, 4}, sizes_of_size{0, 2, 4, 8};
  const uint64_t left = file.size() - at;
  if (left < 8) return {};
  const auto first = number_at<uint32_t>(file, at);
  if ((first & 0xFFFFFFF0) == skipped) {
    const uint64_t bytes = uint64_t{8} + number_at<uint32_t>(file, at + 4);
    if (bytes > left) return {};
    return {{bytes, 0}};
  }
  if (first != magic) return {};
  std::string header = read_some(file, at + 4, std::min<uint64_t>(left - 4, 14));
  const auto flags = static_cast<uint8_t>(header[0]);
  const bool single = (flags & 0x20) != 0;
  const uint64_t of_size = flags >> 6 == 0 ? single : sizes_of_size[flags >> 6];
  const uint64_t size_at = 1 + !single + sizes_of_id[flags & 3];
  if (of_size == 0 || size_at + of_size > header.size()) return {};
  header.resize(size_at + 8);  // shorter numbers are padded with zeros
  std::fill(header.begin() + static_cast<std::ptrdiff_t>(size_at + of_size), header.end(), '\0');
  const uint64_t text = number_in<uint64_t>(header, size_at) + (of_size == 2 ? 256 : 0);
  uint64_t bytes = 4 + size_at + of_size;
  for (bool last = false; !last;) {
    if (bytes + 4 > left) return {};
    const uint32_t block = number_at<uint32_t>(file, at + bytes) & 0xFFFFFF, kind = block >> 1 & 3;
    last = (block & 1) != 0;
    if (kind == 3) return {};
    bytes += 3 + (kind == 1 ? 1 : block >> 3);
    if (bytes > left) return {};
  }
  bytes += (flags & 4) != 0 ? 4 : 0;
  if (bytes > left) return {};
  return {{bytes, text}};
}

Found zstd_by_frames(const FileReader& file) {
  auto blocks = std::make_unique<Neighbors>();
  while (blocks->bytes() < file.size()) {
    const auto frame = zstd_frame(file, blocks->bytes());
    if (!frame || !blocks->join(frame->first, frame->second)) return {};
  }
  return blocks;
}

Found zstd_blocks(const FileReader& file) {
  if (Found found = zstd_by_seek_table(file)) return found;
  return zstd_by_frames(file);
}

// The headers of bgzip's members have one extra field, BC, with the member's size less 1.
Found gzip_blocks(const FileReader& file) {
  using namespace std::string_view_literals;
  constexpr uint64_t header = 18, least = header + 2 + 8;
  auto blocks = std::make_unique<Neighbors>();
  while (blocks->bytes() < file.size()) {
    const uint64_t at = blocks->bytes(), left = file.size() - at;
    if (left < least) return {};
    const std::string head = read_some(file, at, header);
    if (!head.starts_with("\x1F\x8B\x08\x04"sv) || head.substr(10, 6) != "\x06\0BC\x02\0"sv) return {};
    const uint64_t bytes = uint64_t{1} + number_in<uint16_t>(head, 16);
    if (bytes < least || bytes > left) return {};
    if (!blocks->join(bytes, number_at<uint32_t>(file, at + bytes - 4))) return {};
  }
  return blocks;
}

// Numbers in the index: 7 bits per byte, at most 9 bytes.
std::optional<uint64_t> take_number(std::string_view& from) {
  uint64_t n = 0;
  for (size_t i = 0; i < 9 && i < from.size(); ++i) {
    const auto byte = static_cast<uint8_t>(from[i]);
    n |= uint64_t{byte & 0x7Fu} << (7 * i);
    if ((byte & 0x80) != 0) continue;
    from.remove_prefix(i + 1);
    return n;
  }
  return {};
}

void append_number(std::string& to, uint64_t n) {
  for (; n >= 0x80; n >>= 7) to += static_cast<char>(n | 0x80);
  to += static_cast<char>(n);
}

std::string bytes_of_number(uint32_t n) { return {reinterpret_cast<const char*>(&n), sizeof(n)}; }

constexpr uint64_t kXzEdge = 12;  // bytes of the header and of the footer

// Blocks that follow a header, with both sizes from the index.
class XzBlocks final : public PackedBlocks {
 public:
  explicit XzBlocks(std::string header) : header_(std::move(header)) {}
  bool add(uint64_t unpadded, uint64_t text_bytes) {
    return blocks_.add((unpadded + 3) / 4 * 4, text_bytes) &&
           (padding_.push_back(static_cast<uint8_t>(-unpadded & 3)), true);
  }
  uint64_t bytes() const { return blocks_.bytes(); }
  size_t count() const override { return blocks_.count(); }
  PackedBlock operator[](size_t i) const override {
    PackedBlock block = blocks_[i];
    block.at += kXzEdge;
    block.before = header_;
    block.behind = ending(block.bytes - padding_[i], block.text_bytes);
    return block;
  }

 private:
  // Index and footer of a stream with only this block.
  std::string ending(uint64_t unpadded, uint64_t text_bytes) const {
    std::string index("\0\1", 2);
    append_number(index, unpadded);
    append_number(index, text_bytes);
    index.resize((index.size() + 3) / 4 * 4);
    index += bytes_of_number(crc32_of(index));
    const std::string foot = bytes_of_number(static_cast<uint32_t>(index.size() / 4 - 1)) + header_.substr(6, 2);
    return index + bytes_of_number(crc32_of(foot)) + foot + "YZ";
  }

  std::string header_;
  Neighbors blocks_;
  std::vector<uint8_t> padding_;
};

Found xz_blocks(const FileReader& file) {
  const uint64_t size = file.size();
  if (size < 2 * kXzEdge + 8) return {};
  const std::string header = read_some(file, 0, kXzEdge), footer = read_some(file, size - kXzEdge, kXzEdge);
  if (!footer.ends_with("YZ") || footer.substr(8, 2) != header.substr(6, 2)) return {};
  if (number_in<uint32_t>(footer, 0) != crc32_of(footer.substr(4, 6))) return {};
  const uint64_t index_bytes = 4 * (uint64_t{1} + number_in<uint32_t>(footer, 4));
  if (index_bytes < 8 || index_bytes > std::min(kLargestTable, size - 2 * kXzEdge)) return {};
  const uint64_t index_at = size - kXzEdge - index_bytes;
  const std::string index = read_some(file, index_at, index_bytes);
  if (number_in<uint32_t>(index, index_bytes - 4) != crc32_of({index.data(), index_bytes - 4}) || index[0] != 0)
    return {};
  std::string_view left(index.data() + 1, index_bytes - 5);
  const auto records = take_number(left);
  auto blocks = std::make_unique<XzBlocks>(header);
  for (uint64_t i = 0; records && i < *records; ++i) {
    const auto unpadded = take_number(left), text = take_number(left);
    if (!unpadded || !text || *unpadded < 5 || *unpadded > index_at || !blocks->add(*unpadded, *text)) return {};
  }
  if (!records || blocks->bytes() + kXzEdge != index_at) return {};
  return blocks;
}

}  // namespace

std::unique_ptr<PackedBlocks> find_blocks(const FileReader& file) {
  const std::string head = read_some(file, 0, std::min<size_t>(kCompressionHead, file.size()));
  switch (compression_of(head)) {
    case Compression::gzip:
      return gzip_blocks(file);
    case Compression::zstd:
      return zstd_blocks(file);
    case Compression::xz:
      return xz_blocks(file);
    case Compression::none:
      break;
  }
  return {};
}

}  // namespace hexapla::data
