#include "data/files/corpus.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "data/files/test_compress.h"
#include "data/files/test_files.h"

namespace hexapla::data {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Parallel : public TestFiles {
 protected:
  Corpus read(const std::string& source, const std::string& target, const CorpusChecks& checks = {}) const {
    return read_parallel(write("a.en", source), write("a.de", target), checks);
  }
  std::string error(const std::string& source, const std::string& target) const {
    return message_of<DataError>([&] { read(source, target); });
  }
};

TEST_F(Parallel, KeepsPairsAndTheirLines) {
  const Corpus corpus = read("one\ntwo\n", "eins\r\nzwei\r\n");
  EXPECT_THAT(corpus.source, ElementsAre("one", "two"));
  EXPECT_THAT(corpus.target, ElementsAre("eins", "zwei"));
  EXPECT_THAT(corpus.lines, ElementsAre(1, 2));
  EXPECT_THAT(corpus.notes, IsEmpty());
  EXPECT_THAT(corpus.source_name, HasSubstr("a.en"));
  EXPECT_THAT(corpus.target_name, HasSubstr("a.de"));
}

TEST_F(Parallel, BlankLinesDropTheirPairsWithANote) {
  const Corpus corpus = read("one\n\nthree\n \t\nfive\n", "eins\nzwei\n\nvier\nfünf\n");
  EXPECT_THAT(corpus.source, ElementsAre("one", "five"));
  EXPECT_THAT(corpus.target, ElementsAre("eins", "fünf"));
  EXPECT_THAT(corpus.lines, ElementsAre(1, 5));
  ASSERT_EQ(corpus.notes.size(), 1u);
  EXPECT_THAT(corpus.notes[0], AllOf(HasSubstr("a.en"), HasSubstr("a.de"), HasSubstr("3 pairs dropped"),
                                     HasSubstr("blank"), HasSubstr("lines 2, 3, 4)")));
}

TEST_F(Parallel, LongLinesDropTheirPairsWithANote) {
  const std::string longer(101, 'x');
  const Corpus corpus = read("one\n" + longer + "\nthree\n", "eins\nzwei\n" + longer + "\n", {.max_line_bytes = 100});
  EXPECT_THAT(corpus.source, ElementsAre("one"));
  ASSERT_EQ(corpus.notes.size(), 2u);
  EXPECT_THAT(corpus.notes[0], AllOf(HasSubstr("a.en: 1 pair dropped"), HasSubstr("100 bytes"), HasSubstr("line 2)")));
  EXPECT_THAT(corpus.notes[1], AllOf(HasSubstr("a.de: 1 pair dropped"), HasSubstr("100 bytes"), HasSubstr("line 3)")));
}

TEST_F(Parallel, DefaultLimitIsAboveEverySentence) {
  const Corpus corpus = read("one\n" + std::string(100'001, 'x') + "\n", "eins\nzwei\n");
  EXPECT_EQ(corpus.size(), 1);
  EXPECT_EQ(read(std::string(100'000, 'x') + "\n", "zwei\n").size(), 1);
}

TEST_F(Parallel, LineCountsDiffer) {
  for (const auto& message : {error("1\n2\n3\n", "1\n2\n"), error("1\n2\n3\n4\n5\n", "1\n2\n")}) {
    EXPECT_THAT(message, AllOf(HasSubstr("a.en has "), HasSubstr("a.de has 2"), HasSubstr("find where they diverge")));
  }
  EXPECT_THAT(error("1\n2\n", "1\n2\n3\n4\n"), AllOf(HasSubstr("a.en has 2 lines"), HasSubstr("a.de has 4:")));
}

TEST_F(Parallel, EmptyFile) {
  EXPECT_THAT(error("", "eins\n"), AllOf(HasSubstr("a.en is empty"), HasSubstr("one sentence per line")));
  EXPECT_THAT(error("one\n", ""), HasSubstr("a.de is empty"));
  EXPECT_THAT(error("", ""), HasSubstr("a.en is empty"));
}

TEST_F(Parallel, NoPairLeft) {
  EXPECT_THAT(error("one\n\n", "\nzwei\n"),
              AllOf(HasSubstr("a.en"), HasSubstr("a.de"), HasSubstr("no usable pair"), HasSubstr("2 pairs dropped")));
}

TEST_F(Parallel, InvalidUtf8) {
  EXPECT_THAT(error("one\ncaf\xE9\n", "eins\nzwei\n"),
              AllOf(HasSubstr("a.en line 2"), HasSubstr("byte 4 (0xE9)"), HasSubstr("iconv -f ISO-8859-1 -t UTF-8")));
  EXPECT_THAT(error("one\n", "\xC3\n"), HasSubstr("a.de line 1"));
}

// Later bytes of the file determine the encoding, and the command is quoted for the shell.
TEST_F(Parallel, TheAdviceIsForTheWholeFile) {
  EXPECT_THAT(error("caf\xE9\n\x93so\x94\n", "eins\nzwei\n"),
              HasSubstr("iconv -f WINDOWS-1252 -t UTF-8 " + folder() + "/a.en > " + folder() + "/a.en.utf8"));
  EXPECT_THAT(
      error("Größe\nMaße\ncaf\xE9\n", "1\n2\n3\n"),
      AllOf(HasSubstr("a.en line 3 is not valid UTF-8 at byte 4 (0xE9): the rest is UTF-8, so do not convert it"),
            Not(HasSubstr("iconv"))));
  const auto read_alone = [](const std::string& path) {
    return message_of<DataError>([&] { read_checked_lines(path); });
  };
  EXPECT_THAT(read_alone(write("it's a.txt", "caf\xE9\n")),
              HasSubstr("iconv -f ISO-8859-1 -t UTF-8 '" + folder() + "/it'\\''s a.txt' > '"));
  EXPECT_THAT(read_alone(write("a.gz", gzip("caf\xE9\n"))),
              HasSubstr("gzip -dc " + folder() + "/a.gz | iconv -f ISO-8859-1 -t UTF-8 > " + folder() + "/a.gz.utf8"));
  EXPECT_THAT(read_alone(write("a", "o\0n\0e\0\n\0"s)), HasSubstr("iconv -f UTF-16LE "));
}

TEST_F(Parallel, Utf16) {
  EXPECT_THAT(error("\xFF\xFEo\0n\0e\0\n\0"s, "eins\n"),
              AllOf(HasSubstr("a.en line 1"), HasSubstr("iconv -f UTF-16 -t UTF-8")));
  EXPECT_THAT(error("\xFF\xFE\xE4\x01\n", "eins\n"),
              AllOf(HasSubstr("a.en line 1"), HasSubstr("iconv -f UTF-16"), Not(HasSubstr("ISO-8859"))));
}

TEST_F(Parallel, NulByte) {
  EXPECT_THAT(error("one\n", "ei\0ns\n"s),
              AllOf(HasSubstr("a.de line 1"), HasSubstr("NUL byte at byte 3"), HasSubstr("remove the byte")));
}

TEST_F(Parallel, MissingFile) {
  EXPECT_THAT(message_of<DataError>([&] { read_parallel(write("a.en", "one\n"), folder() + "/none.de"); }),
              AllOf(HasSubstr("none.de"), HasSubstr("No such file")));
}

TEST_F(Parallel, OnlyOneSideFromStdin) {
  EXPECT_THAT(message_of<UsageError>([] { read_parallel("-", "-"); }), HasSubstr("only one of them"));
}

TEST_F(Parallel, OneSideKeepsItsBlankLines) {
  EXPECT_THAT(read_checked_lines(write("a", "one\n\nthree\n")), ElementsAre("one", "", "three"));
  EXPECT_THAT(message_of<DataError>([&] { read_checked_lines(write("a", "one\n\x80\n")); }), HasSubstr("a line 2"));
  EXPECT_THAT(message_of<DataError>([&] { read_checked_lines(write("a", "")); }), HasSubstr("a is empty"));
}

TEST(DropCount, NamesTheFirstPlaces) {
  DropCount drops;
  for (int line = 1; line <= 7; ++line) drops.add(line * 10);
  EXPECT_EQ(drops.note("f", "why"), "f: 7 pairs dropped, why (lines 10, 20, 30, 40, 50, ...)");
}

TEST_F(Parallel, Tsv) {
  const Corpus corpus = read_parallel(ParallelSource{.tsv = write("a.tsv", "one\teins\n\tzwei\nthree\tdrei\n")});
  EXPECT_THAT(corpus.source, ElementsAre("one", "three"));
  EXPECT_THAT(corpus.target, ElementsAre("eins", "drei"));
  EXPECT_THAT(corpus.lines, ElementsAre(1, 3));
  EXPECT_THAT(corpus.notes[0], AllOf(HasSubstr("a.tsv: 1 pair dropped"), HasSubstr("line 2)")));
}

TEST_F(Parallel, CheckedPairsOneAtATime) {
  CheckedReader reader({.source = write("a.en", "one\n\nthree\n"), .target = write("a.de", "eins\nzwei\ndrei\n")});
  std::string x, y;
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_TRUE(reader.next(x, y));
    EXPECT_THAT(reader.notes(), IsEmpty());
    EXPECT_TRUE(reader.next(x, y));
    EXPECT_EQ(x, "three");
    EXPECT_EQ(y, "drei");
    EXPECT_EQ(reader.line_number(), 3);
    EXPECT_FALSE(reader.next(x, y));
    EXPECT_THAT(reader.notes(), ElementsAre(HasSubstr("1 pair dropped")));
    reader.rewind();
  }
}

}  // namespace
}  // namespace hexapla::data
