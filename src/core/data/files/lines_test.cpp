#include "data/files/lines.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zdict.h>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/system/cancellation.h"
#include "data/files/test_compress.h"
#include "data/files/test_files.h"
#include "data/packed/compression.h"
#include "text/utf8.h"

namespace hexapla::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Lines : public TestFiles {};

// More text than any buffer, with lines of all lengths, hardly compressible.
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

std::string joined_lines(const std::vector<std::string>& lines) {
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
  EXPECT_EQ(joined_lines(read_lines(write("plain", text))), text);
  EXPECT_EQ(joined_lines(read_lines(write("gz", gzip(text)))), text);
  EXPECT_EQ(joined_lines(read_lines(write("zst", zstd(text)))), text);
  EXPECT_EQ(joined_lines(read_lines(write("xz", xz(text)))), text);
  EXPECT_EQ(joined_lines(read_lines(write("repeated", zstd(std::string(3'000'000, 'a') + "\n")))).size(), 3'000'001u);
}

TEST_F(Lines, CompressionIsToldByTheBytes) {
  EXPECT_THAT(read_lines(write("named.txt", gzip("one\ntwo\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("named.gz", "one\ntwo\n")), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("named.bin", zstd("one\ntwo\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("named.zst", xz("one\ntwo\n"))), ElementsAre("one", "two"));
}

TEST_F(Lines, SeveralCompressedParts) {
  EXPECT_THAT(read_lines(write("a.gz", gzip("one\n") + gzip("") + gzip("two\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("a.zst", zstd("one\n") + zstd("two\n"))), ElementsAre("one", "two"));
  EXPECT_THAT(read_lines(write("a.xz", xz("one\n") + xz("") + xz("two\n"))), ElementsAre("one", "two"));
  EXPECT_TRUE(read_lines(write("b.gz", gzip(""))).empty());
  EXPECT_TRUE(read_lines(write("b.xz", xz(""))).empty());
}

// Tapes and block devices leave such zeros; gunzip skips them, too.
TEST_F(Lines, ZerosAfterGzipDataAreNoDamage) {
  const std::string one = gzip("one\n"), two = gzip("two\n"), zeros(200'000, '\0');
  EXPECT_THAT(read_lines(write("a", one + std::string(1, '\0'))), ElementsAre("one"));
  EXPECT_THAT(read_lines(write("a", one + zeros)), ElementsAre("one"));
  EXPECT_THAT(read_lines(write("a", one + std::string(512, '\0') + two + zeros)), ElementsAre("one", "two"));
}

TEST_F(Lines, ZstdThatBeginsWithAFrameToSkip) {
  const std::string skipped("\x50\x2A\x4D\x18\x04\x00\x00\x00what", 12);
  EXPECT_THAT(read_lines(write("a.zst", skipped + zstd("one\n"))), ElementsAre("one"));
}

// Splitting at Unicode's other line ends would misalign files.
TEST_F(Lines, LinesEndAtTheNewlineByteAlone) {
  const std::string line =
      "a\x0B"
      "b\x0C"
      "c\x1C"
      "d\x1D"
      "e\x1E"
      "f\xC2\x85"
      "g\xE2\x80\xA8"
      "h\xE2\x80\xA9"
      "i\rj";
  EXPECT_THAT(read_lines(write("a", line + "\ntwo\n")), ElementsAre(line, "two"));
}

TEST_F(Lines, TextOfAClassicMacIsToldAsSuch) {
  for (const char* text : {"one\rtwo\r", "one\rtwo\rthree", "\r\r\r"})
    EXPECT_THAT(message_of<DataError>([&] { read_lines(write("a", text)); }),
                testing::AllOf(HasSubstr("/a"), HasSubstr("carriage returns alone"), HasSubstr("tr ")))
        << text;
  EXPECT_THAT(read_lines(write("a", "one\rtwo")), ElementsAre("one\rtwo"));
  EXPECT_THAT(read_lines(write("a", "one\r\ntwo\r\n")), ElementsAre("one", "two"));
}

TEST_F(Lines, TellsWhatItTookAway) {
  LineReader marked(write("a", "\xEF\xBB\xBFone\r\ntwo\n")), plain(write("b", "one\n"));
  std::string line;
  EXPECT_TRUE(marked.had_byte_order_mark());
  EXPECT_FALSE(plain.had_byte_order_mark());
  marked.next(line);
  EXPECT_TRUE(marked.had_carriage_return());
  marked.next(line);
  EXPECT_FALSE(marked.had_carriage_return());
}

// A pipe with a file name; everything written before reading begins must fit into it.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() {
    end();
    close(ends_[0]);
  }
  std::string name() const { return cat("/dev/fd/", ends_[0]); }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(Lines, TellsBeforeItWaitsForAPipe) {
  Pipe pipe;
  pipe.write("one\n\nthr");
  std::vector<std::string> lines;
  std::vector<size_t> waits;
  LineReader reader(pipe.name(), [&] {
    waits.push_back(lines.size());
    pipe.write(waits.size() == 1 ? "ee\n" : "four");
    if (waits.size() == 2) pipe.end();
  });
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_THAT(lines, ElementsAre("one", "", "three", "four"));
  EXPECT_THAT(waits, ElementsAre(2, 3));
}

// An exception before it waits ends a call, but loses nothing.
TEST_F(Lines, GoesOnWhereACallWouldHaveWaited) {
  struct Waits {};
  Pipe pipe;
  pipe.write("one\ntw");
  bool may_wait = true;
  LineReader reader(pipe.name(), [&] {
    if (!may_wait) throw Waits();
  });
  may_wait = false;
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_THROW(reader.next(line), Waits);
  EXPECT_THROW(reader.next(line), Waits);
  pipe.write("o\n\nthree");
  for (const char* expected : {"two", ""}) {
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, expected);
  }
  EXPECT_THROW(reader.next(line), Waits);
  pipe.end();
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_EQ(reader.line_number(), 4);
  EXPECT_FALSE(reader.next(line));
}

TEST_F(Lines, AShortFirstLineIsGivenBeforeThereAreMore) {
  for (const char* first : {"", "a", "ab", "PK", "BZh", "\xEF\xBB", "abcdefgh"}) {
    Pipe pipe;
    pipe.write(cat(first, "\n"));
    int waits = 0;
    LineReader reader(pipe.name(), [&] {
      ++waits;
      pipe.end();
    });
    std::string line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, first);
    EXPECT_EQ(waits, 0) << first;
    EXPECT_FALSE(reader.next(line));
    EXPECT_EQ(waits, 1);
  }
}

TEST_F(Lines, CompressedLinesOfAPipeComeAsTheyAreComplete) {
  Pipe pipe;
  pipe.write(gzip("one\ntwo\n"));
  std::vector<std::string> lines;
  std::vector<size_t> waits;
  LineReader reader(pipe.name(), [&] {
    waits.push_back(lines.size());
    if (waits.size() == 1) return pipe.write(gzip("three\n"));
    pipe.end();
  });
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_THAT(lines, ElementsAre("one", "two", "three"));
  EXPECT_THAT(waits, ElementsAre(2, 3));
}

TEST_F(Lines, NobodyWaitsForAFile) {
  int waits = 0;
  LineReader reader(write("a", much_text()), [&] { ++waits; });
  EXPECT_EQ(count_to_end(reader), 3000);
  EXPECT_EQ(waits, 0);
}

// As with a terminal, there may be more after an end.
TEST_F(Lines, TheEndIsTheEnd) {
  const std::string path = write("a", "one");
  LineReader reader(path);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  std::ofstream(path, std::ios::app) << "two\n";
  EXPECT_FALSE(reader.next(line));
}

// A parent process may pass us a non-blocking pipe.
TEST_F(Lines, APipeThatDoesNotWaitIsWaitedFor) {
  Pipe pipe;
  const int fd = open(pipe.name().c_str(), O_RDONLY | O_NONBLOCK);
  const int before = dup(STDIN_FILENO);
  dup2(fd, STDIN_FILENO);
  pipe.write("one\n");
  LineReader reader("-", {});
  std::string line;
  EXPECT_TRUE(reader.next(line));
  std::thread later([&] {
    pipe.write("two\n");
    pipe.end();
  });
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(reader.next(line));
  later.join();
  dup2(before, STDIN_FILENO);
  close(before);
  close(fd);
}

TEST_F(Lines, CountToEnd) {
  LineReader reader(write("a", "one\ntwo\nthree"));
  std::string line;
  reader.next(line);
  EXPECT_EQ(count_to_end(reader), 3);
  EXPECT_EQ(count_to_end(reader), 3);
}

TEST_F(Lines, ShareReadGrowsToOne) {
  LineReader reader(write("a.gz", gzip(much_text())));
  std::string line;
  reader.next(line);
  const double begun = reader.share_read();
  count_to_end(reader);
  EXPECT_GT(begun, 0);
  EXPECT_LT(begun, 0.5);
  EXPECT_EQ(reader.share_read(), 1);
}

TEST_F(Lines, WrittenAsTheNameAsksFor) {
  const std::string text = much_text();
  for (const std::string name : {"a", "a.gz", "a.zst", "a.xz"}) {
    const std::string path = folder() + "/" + name;
    LineWriter writer(path);
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = text.find('\n', at);
      writer.write(std::string_view(text).substr(at, end - at));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.commit();
    EXPECT_EQ(joined_lines(read_lines(path)), text);
    std::ifstream file(path, std::ios::binary);
    const std::string head(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(compression_of(head), compression_by_name(name));
  }
}
TEST_F(Lines, NothingIsLeftWithoutCommit) {
  { LineWriter(folder() + "/a.gz").write("one"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
}
TEST_F(Lines, WrittenToNowhere) {
  EXPECT_THAT(message_of<RunError>([&] { LineWriter(folder() + "/none/a.gz"); }), HasSubstr("/none/a.gz"));
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
// Cuts in the head, in the middle and before the last byte. Messages name the line that could not
// be read completely.
class Damaged : public Lines {
 protected:
  std::string cut(const std::string& bytes, size_t size) const {
    return message_of<DataError>([&] { read_lines(write("cut", bytes.substr(0, size))); });
  }
  void expect_cuts_found(const std::string& kind, const std::string& bytes) const {
    for (const size_t size : {size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
      EXPECT_THAT(cut(bytes, size), AllOf(HasSubstr("cut line "), HasSubstr(kind + " data stops in the middle"),
                                          HasSubstr("fetch or compress the file again")));
    }
  }
};
// Before the other end is opened, and while no data arrive.
TEST_F(Lines, AnIdlePipeEndsWithTheWorkThatReadsIt) {
  std::atomic<bool> stop = false;
  const CancelScope scope(&stop);
  const std::string pipe = folder() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread later([&] { stop = true; });
  EXPECT_THROW(LineReader reader(pipe), Canceled);
  later.join();
  stop = false;
  const int other_end = open(pipe.c_str(), O_RDWR);
  ASSERT_EQ(::write(other_end, "one line\n", 9), 9);
  LineReader reader(pipe);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one line");
  stop = true;
  EXPECT_THROW(reader.next(line), Canceled);
  close(other_end);
}

TEST_F(Damaged, GzipCutShort) { expect_cuts_found("gzip", gzip(much_text())); }
TEST_F(Damaged, ZstdCutShort) { expect_cuts_found("zstd", zstd(much_text())); }
TEST_F(Damaged, XzCutShort) { expect_cuts_found("xz", xz(much_text())); }

TEST_F(Damaged, LinesBeforeTheCutAreGivenOutAndCounted) {
  for (const auto& bytes : {gzip(much_text()), zstd(much_text()), xz(much_text())}) {
    LineReader reader(write("cut", bytes.substr(0, bytes.size() / 2)));
    std::vector<std::string> lines;
    const std::string message = message_of<DataError>([&] {
      for (std::string line; reader.next(line);) lines.push_back(line);
    });
    const std::string given = joined_lines(lines);
    EXPECT_GT(given.size(), 100'000u);
    EXPECT_EQ(given, much_text().substr(0, given.size()));
    EXPECT_THAT(message, HasSubstr(cat("cut line ", lines.size() + 1, ": ")));
  }
}

TEST_F(Damaged, LineOfDamageInALaterPart) {
  std::string second = gzip("three\nfour\n");
  second[second.size() - 6] ^= 1;  // in the checksum: noticed after the last line
  EXPECT_THAT(cut(gzip("one\ntwo\n") + second, std::string::npos), HasSubstr("cut line 5: damaged gzip data"));
}
TEST_F(Damaged, Gzip) {
  std::string bytes = gzip("one\ntwo\n");
  bytes[bytes.size() - 6] ^= 1;
  EXPECT_THAT(cut(bytes, bytes.size()),
              AllOf(HasSubstr("damaged gzip data (incorrect data check)"), HasSubstr("again")));
}
TEST_F(Damaged, Zstd) {
  EXPECT_THAT(cut("\x28\xB5\x2F\xFD" + std::string(99, '\xFF'), 99),
              AllOf(HasSubstr("cut line 1: damaged zstd data"), HasSubstr("again")));
}
// The data are complete, but cannot be decoded without the dictionary.
TEST_F(Damaged, ZstdWithADictionary) {
  std::vector<size_t> sizes(1000, 40);
  std::string samples, dictionary(4000, '\0');
  for (size_t i = 0; i < sizes.size(); ++i)
    samples += text::padded(std::to_string(i * 7919 % 1009) + " a man and a dog", 40);
  const size_t made = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(), 1000);
  ASSERT_FALSE(ZDICT_isError(made));
  std::string out(10'000, '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  out.resize(
      ZSTD_compress_usingDict(context, out.data(), out.size(), samples.data(), 4000, dictionary.data(), made, 3));
  ZSTD_freeCCtx(context);
  EXPECT_THAT(cut(out, out.size()),
              AllOf(HasSubstr("cut line 1: the zstd data was compressed with a dictionary; unpack it with "
                              "zstd -d -D DICTIONARY"),
                    Not(HasSubstr("again"))));
}
TEST_F(Damaged, Xz) {
  std::string bytes = xz("one\ntwo\n");
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THAT(cut(bytes, bytes.size()), AllOf(HasSubstr("damaged xz data (a check fails)"), HasSubstr("again")));
}
TEST_F(Damaged, SomethingElseBehindTheCompressedData) {
  EXPECT_THAT(cut(gzip("one\n") + "plain text\n", std::string::npos), HasSubstr("damaged gzip data"));
  EXPECT_THAT(cut(zstd("one\n") + "plain text\n", std::string::npos), HasSubstr("damaged zstd data"));
  EXPECT_THAT(cut(xz("one\n") + "more plain text\n", std::string::npos), HasSubstr("damaged xz data"));
}

TEST_F(Damaged, KindsThatAreNotRead) {
  const std::string rest(50, 'x');
  EXPECT_THAT(cut("PK\x03\x04" + rest, 50), HasSubstr("cut is a zip archive: unpack it with unzip"));
  EXPECT_THAT(cut("BZh91AY&SY" + rest, 50), HasSubstr("cut is bzip2 data: unpack it with bunzip2"));
  EXPECT_THAT(cut("7z\xBC\xAF\x27\x1C" + rest, 50), HasSubstr("cut is a 7-Zip archive: unpack it with 7z x"));
  EXPECT_THAT(cut("\x04\x22\x4D\x18" + rest, 50), HasSubstr("cut is lz4 data: unpack it with unlz4"));
  EXPECT_THAT(read_lines(write("text", "PK is text\n")), ElementsAre("PK is text"));
  EXPECT_THAT(read_lines(write("text", "BZhang\n")), ElementsAre("BZhang"));
}
TEST_F(Lines, NoLineEndAtAll) {
  EXPECT_THAT(message_of<DataError>([&] { read_lines(write("bin.zst", zstd("x\n" + std::string(70 << 20, 'a')))); }),
              AllOf(HasSubstr("bin.zst line 2"), HasSubstr("64 MiB"), HasSubstr("one sentence per line")));
}

}  // namespace
}  // namespace hexapla::data
