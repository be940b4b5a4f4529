#include "data/packed/seekable_text.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <fstream>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "data/files/test_compress.h"
#include "data/packed/packed_blocks.h"

namespace hexapla::data {
namespace {

using testing::HasSubstr;

template <class T>
std::string number(T n) {
  return {reinterpret_cast<const char*>(&n), sizeof(n)};
}

// 100 kB of lines of various lengths.
std::string made_up_text() {
  Random random(9, 1);
  std::string text;
  while (text.size() < 100'000) text += std::string(random.below(60), static_cast<char>('a' + random.below(26))) + "\n";
  return text;
}

std::vector<std::string> cut_pieces(const std::string& text, size_t bytes) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at < text.size(); at += bytes) pieces.push_back(text.substr(at, bytes));
  return pieces;
}

// As written by zstd's contrib/seekable_format.
struct SeekTable {
  std::vector<std::pair<uint32_t, uint32_t>> frames;
  uint8_t flags = 0;
  std::optional<uint32_t> count = {};
  std::string bytes() const {
    std::string entries;
    for (const auto& [packed, text] : frames)
      entries += number(packed) + number(text) + ((flags & 0x80) != 0 ? number(uint32_t{0}) : "");
    const std::string foot =
        number(count.value_or(static_cast<uint32_t>(frames.size()))) + number(flags) + number(0x8F92EAB1);
    return number(0x184D2A5E) + number(static_cast<uint32_t>(entries.size() + foot.size())) + entries + foot;
  }
};

class SeekableTexts : public TestFolder {
 protected:
  std::string file(const std::string& bytes) const {
    std::ofstream(at("text"), std::ios::binary) << bytes;
    return at("text");
  }
  static size_t blocks(const std::string& path) {
    const auto found = find_blocks(FileReader(path));
    return found ? found->count() : 0;
  }
  // Random reads, forward and back, return the right bytes.
  static void expect_text(const std::string& path, const std::string& text) {
    const auto seekable = open_seekable(path);
    ASSERT_EQ(seekable->size(), text.size());
    Random random(4, 2);
    for (int i = 0; i < 40; ++i) {
      const uint32_t at = random.below(static_cast<uint32_t>(text.size())),
                     size = random.below(std::min(20'000u, static_cast<uint32_t>(text.size()) - at) + 1);
      std::string some(size, '\0');
      seekable->read(at, some.data(), size);
      ASSERT_TRUE(some == text.substr(at, size)) << at << " " << size;
    }
  }
  // The error when reading everything.
  static std::string damage_in(const std::string& path) {
    return what_of<DataError>([&] {
      const auto seekable = open_seekable(path);
      std::string all(seekable->size(), '\0');
      seekable->read(0, all.data(), all.size());
    });
  }

  const std::string text_ = made_up_text();
};

TEST_F(SeekableTexts, OfOnePieceAreReadThrough) {
  expect_text(file(text_), text_);
  for (const std::string& bytes : {gzip(text_), zstd(text_), xz(text_)}) expect_text(file(bytes), text_);
  EXPECT_EQ(open_seekable(file(text_))->read_through(), "");
  std::string large = text_;
  while (large.size() <= 1 << 20) large += large;
  EXPECT_EQ(open_seekable(file(gzip(large)))->read_through(), "gzip");
  EXPECT_EQ(open_seekable(file(zstd(large)))->read_through(), "zstd");
  EXPECT_EQ(open_seekable(file(xz(large)))->read_through(), "xz");
  EXPECT_EQ(open_seekable(file(zstd(large) + zstd(large)))->read_through(), "");
  EXPECT_EQ(open_seekable(file(gzip("")))->size(), 0u);
}

TEST_F(SeekableTexts, OfZstdFramesAreFoundByTheirHeaders) {
  std::string large, packed;
  for (int i = 0; i < 30; ++i) {
    const std::string more = i % 3 == 0 ? "x" : i % 3 == 1 ? text_ : std::string(70'000, 'z');  // 1- and 4-byte sizes
    large += more, packed += zstd(more);
    if (i == 5) packed += number(0x184D2A53) + number(uint32_t{3}) + "abc";  // skippable
  }
  EXPECT_EQ(blocks(file(packed)), 2u) << "neighbors up to 1 MiB are one";
  expect_text(file(packed), large);
}

class OfASeekTable : public SeekableTexts {
 protected:
  OfASeekTable() {
    for (const std::string& piece : cut_pieces(text_, 9000)) {
      const std::string frame = zstd(piece);
      frames_ += frame;
      table_.frames.emplace_back(frame.size(), piece.size());
    }
  }
  std::string frames_;
  SeekTable table_;
};

TEST_F(OfASeekTable, AreReadAtAnyPlace) {
  for (const uint8_t flags : {0x00, 0x80, 0x03}) {
    table_.flags = flags;
    const std::string path = file(frames_ + table_.bytes());
    EXPECT_EQ(blocks(path), 12u);
    expect_text(path, text_);
  }
}

// A table inconsistent with the file's size is ignored; frames are then found in another way.
TEST_F(OfASeekTable, HasToGoWithTheFile) {
  const auto found = [&](const std::string& bytes) { return blocks(file(bytes)); };
  SeekTable wrong = table_;
  wrong.count = 13;
  EXPECT_NE(found(frames_ + wrong.bytes()), 12u);
  wrong.count = 0xFFFFFFFF;
  EXPECT_NE(found(frames_ + wrong.bytes()), 12u);
  wrong = table_;
  wrong.flags = 0x04;  // reserved
  EXPECT_NE(found(frames_ + wrong.bytes()), 12u);
  wrong = table_;
  ++wrong.frames[3].first;
  EXPECT_NE(found(frames_ + wrong.bytes()), 12u);
  EXPECT_NE(found("...." + frames_ + table_.bytes()), 12u);
  EXPECT_NE(found(table_.bytes().substr(5)), 12u);
  for (size_t n = 0; n < 40; ++n) found(frames_.substr(0, 4) + table_.bytes().substr(table_.bytes().size() - n));
}

// Wrong text sizes are noticed when the block is read.
TEST_F(OfASeekTable, IsNotBelieved) {
  SeekTable wrong = table_;
  wrong.frames[2].second -= 10;
  EXPECT_THAT(damage_in(file(frames_ + wrong.bytes())),
              HasSubstr("there is more text than its table says in the block"));
  wrong.frames[2].second += 20;
  EXPECT_THAT(damage_in(file(frames_ + wrong.bytes())), HasSubstr("10 bytes of text are missing"));
  wrong = table_;
  wrong.frames[2].first -= 1, wrong.frames[3].first += 1;
  EXPECT_THAT(damage_in(file(frames_ + wrong.bytes())), HasSubstr("stops in the middle"));
  for (auto& frame : wrong.frames) frame.second = 0xFFFFFFFF;  // nothing is that large
  EXPECT_EQ(open_seekable(file(frames_ + wrong.bytes()))->size(), 12ull * 0xFFFFFFFF);
}

// Members as in bgzip: their size less 1 in the field BC.
std::string bgzip_member(const std::string& text) {
  std::string member = gzip(text);
  member[3] = 4;
  member.insert(10, std::string("\x06\0BC\x02\0\0\0", 8));
  const std::string size = number(static_cast<uint16_t>(member.size() - 1));
  return member.replace(16, 2, size);
}

TEST_F(SeekableTexts, OfBgzipAreFoundByTheirMembers) {
  std::string large, packed;
  while (large.size() < 3 << 20) large += text_;
  for (const std::string& piece : cut_pieces(large, 60'000)) packed += bgzip_member(piece);
  packed += bgzip_member("");
  EXPECT_EQ(blocks(file(packed)), 3u);
  expect_text(file(packed), large);
  packed[packed.size() - 1] = 1;  // text size of the last member
  EXPECT_THAT(damage_in(file(packed)), HasSubstr("damaged gzip data"));
  EXPECT_EQ(blocks(file(packed.substr(0, packed.size() - 1))), 0u);
}

// scripts/fixtures/make_seekable_fixture.py wrote the files of this test and the next.
TEST_F(SeekableTexts, OfXzAreFoundByTheIndex) {
  const std::string path = source_path("src/core/data/packed/fixtures/blocks.txt.xz");  // xz --block-size=4096
  const auto whole = open_seekable(path);
  std::string text(whole->size(), '\0');
  whole->read(0, text.data(), text.size());
  EXPECT_EQ(text.size(), 20'000u);
  EXPECT_EQ(blocks(path), 5u);
  expect_text(path, text);
  const std::string bytes = read_file(path);
  for (size_t i = bytes.size() - 40; i < bytes.size(); ++i) {  // index and footer: changes are noticed
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x21);
    EXPECT_EQ(blocks(file(changed)), 0u) << i;
  }
  std::string changed = bytes;
  changed[700] = static_cast<char>(changed[700] ^ 1);
  EXPECT_THAT(damage_in(file(changed)), HasSubstr("xz data"));
  EXPECT_EQ(blocks(file(bytes + bytes)), 0u) << "two streams are read through";
  expect_text(file(bytes + bytes), text + text);
}

TEST_F(SeekableTexts, OfOthersAreRead) {
  std::string text(20'000, '\0');
  open_seekable(source_path("src/core/data/packed/fixtures/blocks.txt.xz"))->read(0, text.data(), text.size());
  for (const char* name : {"blocks.txt.zst", "blocks.txt.gz"}) {  // pyzstd's SeekableZstdFile; bgzip of htslib
    const std::string path = source_path(cat("src/core/data/packed/fixtures/", name));
    EXPECT_GT(blocks(path), 0u) << name;
    expect_text(path, text);
  }
}

// Any bytes lead to the text or to one message.
TEST_F(SeekableTexts, MayBeAnything) {
  Random random(7, 3);
  for (const char* name : {"blocks.txt.zst", "blocks.txt.gz", "blocks.txt.xz"}) {
    const std::string bytes = read_file(source_path(cat("src/core/data/packed/fixtures/", name)));
    for (int i = 0; i < 100; ++i) {
      std::string changed =
          bytes.substr(0, random.below(4) == 0 ? random.below(static_cast<uint32_t>(bytes.size())) : bytes.size());
      for (uint32_t n = random.below(4); n > 0 && !changed.empty(); --n) {
        const uint32_t end = random.below(2) == 0 ? std::min<uint32_t>(80, static_cast<uint32_t>(changed.size()))
                                                  : static_cast<uint32_t>(changed.size());
        changed[changed.size() - 1 - random.below(end)] = static_cast<char>(random.below(256));
      }
      try {
        const auto seekable = open_seekable(file(changed));
        std::string some(std::min<uint64_t>(seekable->size(), 30'000), '\0');
        seekable->read(seekable->size() - some.size(), some.data(), some.size());
      } catch (const DataError& e) {
        EXPECT_NE(std::string(e.what()), "");
      }
    }
  }
}

}  // namespace
}  // namespace hexapla::data
