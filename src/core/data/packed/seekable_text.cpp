#include "data/packed/seekable_text.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/packed/compression.h"
#include "data/packed/packed_blocks.h"

namespace hexapla::data {
namespace {

constexpr size_t kSkippedAtOnce = size_t{1} << 16;
constexpr uint64_t kSmall = uint64_t{1} << 20;  // bytes of text that are quickly unpacked

class PlainText final : public SeekableText {
 public:
  explicit PlainText(FileReader file) : file_(std::move(file)) {}
  uint64_t size() const override { return file_.size(); }
  void read(uint64_t at, char* to, size_t size) override { file_.read(at, to, size); }

 private:
  FileReader file_;
};

// A block of a file as a complete file.
class BlockBytes final : public Bytes {
 public:
  BlockBytes(const FileReader& file, PackedBlock block) : file_(file), block_(std::move(block)) {}
  size_t read(char* to, size_t size) override {
    const uint64_t before = block_.before.size(), behind = before + block_.bytes, end = behind + block_.behind.size();
    size_t n = 0;
    if (at_ < before) {
      n = block_.before.copy(to, size, at_);
    } else if (at_ < behind) {
      n = std::min<uint64_t>(size, behind - at_);
      file_.read(block_.at + at_ - before, to, n);
    } else if (at_ < end) {
      n = block_.behind.copy(to, size, at_ - behind);
    }
    at_ += n;
    return n;
  }

 private:
  const FileReader& file_;
  PackedBlock block_;
  uint64_t at_ = 0;
};

// A whole file as one block, whose size is found by unpacking it.
class OneBlock final : public PackedBlocks {
 public:
  OneBlock(uint64_t bytes, uint64_t text_bytes) : block_{0, bytes, 0, text_bytes} {}
  size_t count() const override { return 1; }
  PackedBlock operator[](size_t) const override { return block_; }

 private:
  PackedBlock block_;
};

class PackedText final : public SeekableText {
 public:
  PackedText(FileReader file, Compression kind) : file_(std::move(file)), kind_(kind), blocks_(find_blocks(file_)) {
    if (!blocks_ || blocks_->count() < 2) {
      through_ = true;
      blocks_ = std::make_unique<OneBlock>(file_.size(), unpacked_size());
    }
    const PackedBlock last = (*blocks_)[blocks_->count() - 1];
    size_ = last.text_at + last.text_bytes;
  }

  uint64_t size() const override { return size_; }
  std::string read_through() const override {
    if (!through_ || size_ <= kSmall) return "";
    return kind_ == Compression::gzip ? "gzip" : kind_ == Compression::zstd ? "zstd" : "xz";
  }

  void read(uint64_t at, char* to, size_t size) override {
    HEXAPLA_CHECK(at <= size_ && size <= size_ - at, "text behind the end of ", file_.path());
    for (size_t n = 0; size > 0; at += n, to += n, size -= n) {
      go_to(at);
      n = take(to, std::min<uint64_t>(size, end_ - at_));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy = DamagedBytes().remedy) const {
    throw DataError(cat(file_.path(), ": ", what, " in the block that begins at byte ", block_.at, " with byte ",
                        block_.text_at, " of the text; ", remedy));
  }

  size_t unpack(char* to, size_t size) {
    try {
      return decoder_->read(to, size);
    } catch (const DamagedBytes& damage) {
      fail(damage.what, damage.remedy);
    }
  }

  void open(PackedBlock block) {
    block_ = block;
    at_ = block.text_at, end_ = block.text_at + block.text_bytes;
    decoder_ = decompressed(kind_, std::make_unique<BlockBytes>(file_, std::move(block)));
  }

  uint64_t unpacked_size() {
    open({0, file_.size(), 0, 0});
    std::vector<char> some(kSkippedAtOnce);
    uint64_t all = 0;
    for (size_t n; (n = unpack(some.data(), some.size())) > 0;) all += n;
    decoder_.reset();
    return all;
  }

  // Positions the decoder, so that it unpacks this byte next.
  void go_to(uint64_t at) {
    if (!decoder_ || at < at_ || at >= end_) open((*blocks_)[block_with(at)]);
    std::vector<char> some(std::min<uint64_t>(kSkippedAtOnce, at - at_));
    while (at_ < at) take(some.data(), std::min<uint64_t>(some.size(), at - at_));
  }

  size_t block_with(uint64_t at) const {
    size_t low = 0, high = blocks_->count();
    while (high - low > 1) {
      const size_t middle = (low + high) / 2;
      ((*blocks_)[middle].text_at <= at ? low : high) = middle;
    }
    return low;
  }

  // Unpacks from the block, which must end exactly where its table says.
  size_t take(char* to, size_t size) {
    const size_t n = unpack(to, size);
    if (n == 0) fail(cat(end_ - at_, " bytes of text are missing"));
    at_ += n;
    char more = 0;
    if (at_ == end_ && unpack(&more, 1) > 0) fail("there is more text than its table says");
    return n;
  }

  FileReader file_;
  Compression kind_;
  std::unique_ptr<PackedBlocks> blocks_;
  bool through_ = false;
  uint64_t size_ = 0;
  PackedBlock block_{};             // being unpacked
  std::unique_ptr<Bytes> decoder_;  // for block_
  uint64_t at_ = 0, end_ = 0;       // positions in the text: the next byte, the block's end
};

}  // namespace

std::unique_ptr<SeekableText> open_seekable(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    throw UsageError(cat(path, " is no regular file: a part of it cannot be read without the rest; name a text file"));
  FileReader file(path);
  std::string head(std::min<size_t>(kCompressionHead, file.size()), '\0');
  file.read(0, head.data(), head.size());
  if (const std::string other = unreadable_kind(head); !other.empty()) throw DataError(cat(path, " is ", other));
  const Compression kind = compression_of(head);
  if (kind == Compression::none) return std::make_unique<PlainText>(std::move(file));
  return std::make_unique<PackedText>(std::move(file), kind);
}

}  // namespace hexapla::data
