#include "data/files/line_range.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "data/files/lines.h"
#include "data/files/test_compress.h"

namespace hexapla::data {
namespace {

using testing::HasSubstr;

class LineRanges : public TestFolder {
 protected:
  std::string file(const std::string& text) const {
    std::ofstream(at("text"), std::ios::binary) << text;
    return at("text");
  }
  static std::vector<std::string> in_parts(const std::string& path, int64_t of) {
    std::vector<std::string> all;
    uint64_t expected = 0;
    for (int64_t i = 1; i <= of; ++i) {
      RangeReader reader(path, {i, of});
      EXPECT_EQ(reader.from(), expected) << "no byte is left out, and none is read twice";
      expected = reader.to();
      int64_t lines = 0;
      for (std::string line; reader.next(line);) {
        all.push_back(line);
        EXPECT_EQ(reader.line_number(), ++lines);
      }
    }
    EXPECT_EQ(expected, RangeReader(path, {1, 1}).file_size());
    return all;
  }
};

TEST_F(LineRanges, HaveEachLineOnce) {
  Random random(3, 1);
  for (int text = 0; text < 200; ++text) {
    std::string all;
    const uint32_t lines = random.below(12);
    for (uint32_t i = 0; i < lines; ++i)
      all += std::string(random.below(9), 'a') + (random.below(4) == 0 ? "\r" : "") + "\n";
    if (random.below(2) == 0) all += "last";
    if (random.below(5) == 0) all = "\xEF\xBB\xBF" + all;
    const std::string path = file(all);
    for (const int64_t of : {1, 2, 3, 7, 50}) EXPECT_EQ(in_parts(path, of), read_lines(path)) << of << ": " << all;
  }
}

TEST_F(LineRanges, MayHaveLinesLongerThanABlock) {
  const std::string path = file(std::string(1 << 19, 'x') + "\n" + std::string(1 << 18, 'y') + "\nz");
  for (const int64_t of : {1, 2, 5}) EXPECT_EQ(in_parts(path, of), read_lines(path)) << of;
}

TEST_F(LineRanges, OfCompressedFilesAreThoseOfThePlainOne) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += cat("line ", i, " of ", i * i, "\n");
  const std::vector<std::string> lines = read_lines(file(text));
  const RangeReader plain(file(text), {2, 3});
  const std::string hash = plain.hash();
  const std::string bytes[] = {gzip(text), xz(text), zstd(text), zstd(text.substr(0, 777)) + zstd(text.substr(777))};
  for (const std::string& packed : bytes) {
    for (const int64_t of : {1, 3, 10}) EXPECT_TRUE(in_parts(file(packed), of) == lines) << of;
    const RangeReader part(file(packed), {2, 3});
    EXPECT_EQ(part.from(), plain.from());
    EXPECT_EQ(part.to(), plain.to());
    EXPECT_EQ(part.hash(), hash);
    EXPECT_EQ(part.note(), "") << "little text is unpacked at once";
  }
  while (text.size() <= 1 << 20) text += text;
  EXPECT_THAT(RangeReader(file(xz(text)), {2, 3}).note(), HasSubstr("is one piece of xz data"));
}

TEST_F(LineRanges, KnowTheirBytes) {
  const std::string path = file("ab\ncd\nef\n");
  EXPECT_EQ(RangeReader(path, {2, 3}).from(), 3u);
  EXPECT_EQ(RangeReader(path, {2, 3}).to(), 6u);
  EXPECT_EQ(RangeReader(path, {2, 3}).hash(), hash_hex("cd\n"));
  EXPECT_EQ(RangeReader(file(""), {1, 1}).hash(), hash_hex(""));
}

TEST_F(LineRanges, AreRefusedWithARemedy) {
  EXPECT_THAT(what_of<DataError>([&] {
                RangeReader(file("\x1f\x8b\x08\xff...."), {1, 2});
              }),
              HasSubstr("text: damaged gzip data"));
  EXPECT_THAT(what_of<UsageError>([&] { RangeReader(folder(), {1, 2}); }), HasSubstr("is no regular file"));
  EXPECT_THAT(what_of<UsageError>([] { ShardNumber::parse("shard", "9/8"); }), HasSubstr("`shard` is '9/8'"));
  EXPECT_EQ(ShardNumber::parse("shard", "3/8").text(), "3/8");
  EXPECT_EQ(ShardNumber::parse("shard", "08/10").text(), "8/10");
  EXPECT_EQ(ShardNumber::parse("shard", "012/100").text(), "12/100");
}

}  // namespace
}  // namespace hexapla::data
