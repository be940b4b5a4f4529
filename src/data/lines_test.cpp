#include "data/lines.h"

#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdio>

#include "base/error.h"
#include "base/random.h"
#include "data/test_files.h"

namespace hexapla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Lines : public TestFiles {};

std::string gzip(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

// More text than any block on the way, with lines of all lengths and little to compress.
std::string much_text() {
  Random random(3);
  std::string text;
  for (int line = 0; line < 3000; ++line) {
    for (uint32_t i = 0, n = random.below(line % 500 == 0 ? 200'000 : 100); i < n; ++i) {
      text += static_cast<char>('!' + random.below(90));
    }
    text += '\n';
  }
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST_F(Lines, PlainText) {
  EXPECT_THAT(read_lines(write("a", "one\ntwo\n\nfour\n")), ElementsAre("one", "two", "", "four"));
}
TEST_F(Lines, LastLineNeedsNoEnd) { EXPECT_THAT(read_lines(write("a", "one\ntwo")), ElementsAre("one", "two")); }
TEST_F(Lines, NoLine) { EXPECT_TRUE(read_lines(write("a", "")).empty()); }
TEST_F(Lines, OneBlankLine) { EXPECT_THAT(read_lines(write("a", "\n")), ElementsAre("")); }
TEST_F(Lines, WindowsLineEnds) {
  EXPECT_THAT(read_lines(write("a", "one\r\n\r\ntwo\r\r\nthr\ree\r")), ElementsAre("one", "", "two\r", "thr\ree"));
}
TEST_F(Lines, ByteOrderMarkIsDroppedOnceAtTheStart) {
  EXPECT_THAT(read_lines(write("a", "\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n")), ElementsAre("one", "\xEF\xBB\xBFtwo"));
  EXPECT_THAT(read_lines(write("b", gzip("\xEF\xBB\xBFone\n"))), ElementsAre("one"));
  EXPECT_TRUE(read_lines(write("c", "\xEF\xBB\xBF")).empty());
}

TEST_F(Lines, MuchText) {
  const std::string text = much_text();
  EXPECT_EQ(joined(read_lines(write("plain", text))), text);
  EXPECT_EQ(joined(read_lines(write("gz", gzip(text)))), text);
  EXPECT_EQ(joined(read_lines(write("zst", zstd(text)))), text);
  EXPECT_EQ(joined(read_lines(write("repeated", zstd(std::string(3'000'000, 'a') + "\n")))).size(), 3'000'001u);
}

TEST_F(Lines, GzipAndZstdAreToldByTheirBytes) {
  EXPECT_THAT(read_lines(write("named.txt", gzip("one\ntwo\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("named.gz", "one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("named.bin", zstd("one\ntwo\n"))), ElementsAre("one", "two"));
}

TEST_F(Lines, SeveralCompressedParts) {
  EXPECT_THAT(read_lines(write("a.gz", gzip("one\n") + gzip("") + gzip("two\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("a.zst", zstd("one\n") + zstd("two\n"))), ElementsAre("one", "two"));
  EXPECT_TRUE(read_lines(write("b.gz", gzip(""))).empty());
}

TEST_F(Lines, LineNumbersAndName) {
  const std::string path = write("a", "one\ntwo\n");
  LineReader reader(path);
  std::string line;
  EXPECT_EQ(reader.line_number(), 0);
  EXPECT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.line_number(), 2);
  EXPECT_EQ(reader.name(), path);
}

TEST_F(Lines, Stdin) {
  ASSERT_NE(std::freopen(write("in", gzip("from\nstdin\n")).c_str(), "rb", stdin), nullptr);
  LineReader reader("-");
  EXPECT_EQ(reader.name(), "stdin");
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "from");
}

TEST_F(Lines, MissingFile) {
  EXPECT_THAT(message_of<DataError>([&] { read_lines(folder() + "/none.en"); }),
              AllOf(HasSubstr("/none.en"), HasSubstr("No such file"), HasSubstr("check the path")));
}
TEST_F(Lines, Directory) {
  EXPECT_THAT(message_of<DataError>([&] { read_lines(folder()); }),
              AllOf(HasSubstr(folder()), HasSubstr("is a directory")));
}
TEST_F(Lines, GzipCutShort) {
  const std::string whole = gzip(much_text());
  for (const size_t size : {whole.size() / 2, whole.size() - 1, size_t{5}}) {
    EXPECT_THAT(message_of<DataError>([&] { read_lines(write("cut.gz", whole.substr(0, size))); }),
                AllOf(HasSubstr("cut.gz"), HasSubstr("in the middle of its gzip data"), HasSubstr("again")));
  }
}
TEST_F(Lines, GzipDamaged) {
  std::string bytes = gzip("one\ntwo\n");
  bytes[bytes.size() - 6] ^= 1;  // in the checksum
  EXPECT_THAT(message_of<DataError>([&] { read_lines(write("bad.gz", bytes)); }),
              AllOf(HasSubstr("bad.gz"), HasSubstr("damaged gzip data"), HasSubstr("again")));
}
TEST_F(Lines, ZstdCutShort) {
  const std::string whole = zstd(much_text());
  for (const size_t size : {whole.size() / 2, whole.size() - 1, size_t{5}}) {
    EXPECT_THAT(message_of<DataError>([&] { read_lines(write("cut.zst", whole.substr(0, size))); }),
                AllOf(HasSubstr("cut.zst"), HasSubstr("in the middle of its zstd data"), HasSubstr("again")));
  }
}
TEST_F(Lines, ZstdDamaged) {
  EXPECT_THAT(
      message_of<DataError>([&] { read_lines(write("bad.zst", "\x28\xB5\x2F\xFD" + std::string(99, '\xFF'))); }),
      AllOf(HasSubstr("bad.zst"), HasSubstr("damaged zstd data"), HasSubstr("again")));
}
TEST_F(Lines, NoLineEndAtAll) {
  EXPECT_THAT(message_of<DataError>([&] { read_lines(write("bin.zst", zstd("x\n" + std::string(70 << 20, 'a')))); }),
              AllOf(HasSubstr("bin.zst line 2"), HasSubstr("64 MiB"), HasSubstr("one sentence a line")));
}

}  // namespace
}  // namespace hexapla
