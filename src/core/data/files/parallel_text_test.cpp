#include "data/files/parallel_text.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "base/error.h"
#include "data/files/test_compress.h"
#include "data/files/test_files.h"

namespace hexapla::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs rest_of(ParallelReader& reader) {
  Pairs pairs;
  for (std::string x, y; reader.next(x, y);) pairs.emplace_back(x, y);
  return pairs;
}

class ParallelText : public TestFiles {
 protected:
  ParallelSource two(const std::string& source, const std::string& target) const {
    return {.source = write("a.en", source), .target = write("a.de", target)};
  }
  ParallelSource tsv(const std::string& text) const { return {.tsv = write("a.tsv", text)}; }
  std::string error(const ParallelSource& from) const {
    return message_of<DataError>([&] {
      ParallelReader reader(from);
      rest_of(reader);
    });
  }
};

TEST_F(ParallelText, TwoFiles) {
  ParallelReader reader(two("one\n\nthree", zstd("eins\r\nzwei\r\n\r\n")));
  EXPECT_THAT(rest_of(reader), ElementsAre(Pair("one", "eins"), Pair("", "zwei"), Pair("three", "")));
  EXPECT_THAT(reader.source_name(), HasSubstr("a.en"));
  EXPECT_THAT(reader.target_name(), HasSubstr("a.de"));
  EXPECT_EQ(reader.name(), reader.source_name() + " + " + reader.target_name());
}

TEST_F(ParallelText, Tsv) {
  ParallelReader reader(tsv(xz("one\teins\r\n\tzwei\nthree\t\n\"four\tvier\n")));
  EXPECT_THAT(rest_of(reader),
              ElementsAre(Pair("one", "eins"), Pair("", "zwei"), Pair("three", ""), Pair("\"four", "vier")));
  EXPECT_EQ(reader.name(), reader.source_name());
  EXPECT_EQ(reader.name(), reader.target_name());
}

TEST_F(ParallelText, LineNumbers) {
  for (const auto& from : {two("one\ntwo\n", "eins\nzwei\n"), tsv("one\teins\ntwo\tzwei\n")}) {
    ParallelReader reader(from);
    std::string x, y;
    EXPECT_EQ(reader.line_number(), 0);
    EXPECT_TRUE(reader.next(x, y));
    EXPECT_EQ(reader.line_number(), 1);
    EXPECT_TRUE(reader.next(x, y));
    EXPECT_EQ(reader.line_number(), 2);
    EXPECT_FALSE(reader.next(x, y));
    EXPECT_FALSE(reader.next(x, y));
    EXPECT_EQ(reader.line_number(), 2);
  }
}

TEST_F(ParallelText, RewindGivesTheSamePairsAgain) {
  for (const auto& from : {two(gzip("one\ntwo\n"), "eins\nzwei\n"), tsv("one\teins\ntwo\tzwei\n")}) {
    ParallelReader reader(from);
    std::string x, y;
    reader.next(x, y);
    EXPECT_TRUE(reader.can_rewind());
    reader.rewind();
    EXPECT_EQ(reader.line_number(), 0);
    const Pairs first = rest_of(reader);
    EXPECT_EQ(first.size(), 2u);
    reader.rewind();
    EXPECT_EQ(rest_of(reader), first);
  }
}

TEST_F(ParallelText, StdinIsReadOnce) {
  ASSERT_NE(std::freopen(write("in", "one\teins\n").c_str(), "rb", stdin), nullptr);
  ParallelReader reader({.tsv = "-"});
  EXPECT_THAT(rest_of(reader), ElementsAre(Pair("one", "eins")));
  EXPECT_FALSE(reader.can_rewind());
  EXPECT_THAT(message_of<UsageError>([&] { reader.rewind(); }),
              AllOf(HasSubstr("can be read only once"), HasSubstr("write it to a file first")));
}

TEST_F(ParallelText, OneSideFromStdin) {
  ASSERT_NE(std::freopen(write("in", "one\n").c_str(), "rb", stdin), nullptr);
  ParallelReader reader({.source = "-", .target = write("a.de", "eins\n")});
  EXPECT_THAT(rest_of(reader), ElementsAre(Pair("one", "eins")));
  EXPECT_THAT(reader.name(), HasSubstr("stdin + "));
  EXPECT_FALSE(reader.can_rewind());
}

TEST_F(ParallelText, FilesOfDifferentLength) {
  EXPECT_THAT(error(two("1\n2\n3\n", "1\n2\n")),
              AllOf(HasSubstr("a.en has 3 lines"), HasSubstr("a.de has 2"), HasSubstr("fix the shorter one")));
  EXPECT_THAT(error(two("1\n2\n", "1\n2\n3\n4\n5\n")), AllOf(HasSubstr("a.en has 2 lines"), HasSubstr("a.de has 5")));
}
TEST_F(ParallelText, EmptyFile) {
  EXPECT_THAT(error(two("", "1\n")), AllOf(HasSubstr("a.en is empty"), HasSubstr("one sentence per line")));
  EXPECT_THAT(error(two("1\n", "")), HasSubstr("a.de is empty"));
  EXPECT_THAT(error(tsv("")), HasSubstr("a.tsv is empty"));
}
TEST_F(ParallelText, TsvLineWithoutTab) {
  EXPECT_THAT(error(tsv("one\teins\ntwo zwei\n")),
              AllOf(HasSubstr("a.tsv line 2 has no tab"), HasSubstr("SOURCE<TAB>TARGET"), HasSubstr("give two files")));
  EXPECT_THAT(error(tsv("one\teins\n\n")), HasSubstr("a.tsv line 2 has no tab"));
}
TEST_F(ParallelText, TsvLineWithMoreFields) {
  EXPECT_THAT(error(tsv("one\teins\t0.5\tx\n")),
              AllOf(HasSubstr("a.tsv line 1 has 4 fields"), HasSubstr("cut -f 1,2")));
}
TEST_F(ParallelText, DamagedData) {
  EXPECT_THAT(error({.tsv = write("a.tsv.gz", gzip("one\teins\n").substr(0, 12))}),
              AllOf(HasSubstr("a.tsv.gz line 1"), HasSubstr("stops in the middle")));
}

TEST_F(ParallelText, NamesThatMakeNoCorpus) {
  auto usage = [](ParallelSource from) { return message_of<UsageError>([&] { ParallelReader reader(from); }); };
  EXPECT_THAT(usage({}), HasSubstr("needs a source and a target file, or one TSV"));
  EXPECT_THAT(usage({.source = "a"}), HasSubstr("needs a source and a target file"));
  EXPECT_THAT(usage({.target = "a"}), HasSubstr("needs a source and a target file"));
  EXPECT_THAT(usage({.source = "a", .target = "b", .tsv = "c"}), HasSubstr("not both"));
  EXPECT_THAT(usage({.source = "-", .target = "-"}), HasSubstr("only one of them can come from stdin"));
}

}  // namespace
}  // namespace hexapla::data
