#include "hexapla/text_file.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using Lines = std::vector<std::string>;
using testing::HasSubstr;

Lines all_of(TextFile file) {
  Lines lines;
  for (std::string line; file.next(line);) lines.push_back(line);
  return lines;
}

using TextFiles = TestFolder;

TEST_F(TextFiles, HaveLinesAndParts) {
  write_file_atomically(at("text"),
                        "\xEF\xBB\xBF"
                        "one\r\n\nthree\nfour");
  EXPECT_EQ(all_of(TextFile(at("text"))), (Lines{"one", "", "three", "four"}));
  Lines parts;
  for (const char* shard : {"1/3", "2/3", "3/3"})
    for (const std::string& line : all_of(TextFile(at("text"), shard))) parts.push_back(line);
  EXPECT_EQ(parts, all_of(TextFile(at("text"))));
  EXPECT_EQ(TextFile(at("text")).name(), at("text"));
  EXPECT_EQ(TextFile("-").name(), "stdin");
  EXPECT_EQ(TextFile(at("text"), "1/2").note(), "");
  EXPECT_TRUE(TextFile(at("text"), "1/2").ready());
  EXPECT_THROW(TextFile(at("none")), MissingFile);
  EXPECT_THROW(TextFile(at("text"), "4/3"), UsageError);
}

TEST_F(TextFiles, TellWhetherALineIsThere) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto write_text = [&](const std::string& text) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  };
  write_text("one\ntw");
  TextFile file(cat("/dev/fd/", ends[0]));
  std::string line;
  EXPECT_TRUE(file.ready());
  ASSERT_TRUE(file.next(line));
  EXPECT_FALSE(file.ready());
  EXPECT_FALSE(file.ready());
  write_text("o\nthree");
  EXPECT_TRUE(file.ready());
  ASSERT_TRUE(file.next(line));
  EXPECT_EQ(line, "two");
  EXPECT_FALSE(file.ready());
  close(ends[1]);
  EXPECT_TRUE(file.ready());
  ASSERT_TRUE(file.next(line));
  EXPECT_EQ(line, "three");
  EXPECT_TRUE(file.ready());
  EXPECT_FALSE(file.next(line));
  close(ends[0]);
}

TEST_F(TextFiles, HavePairs) {
  using Pair = std::pair<std::string, std::string>;
  const auto pairs_of = [](PairFile file) {
    std::vector<Pair> all;
    for (std::string x, y; file.ready() && file.next(x, y);) all.emplace_back(x, y);
    return all;
  };
  write_file_atomically(at("en"), "a\n\nc\n");
  write_file_atomically(at("de"), "x\r\ny\n\n");
  write_file_atomically(at("tsv"), "a\tx\n\ty\nc\t\n");
  const std::vector<Pair> all{{"a", "x"}, {"", "y"}, {"c", ""}};
  EXPECT_EQ(pairs_of(PairFile(TextFile(at("en")), TextFile(at("de")))), all);
  EXPECT_EQ(pairs_of(PairFile(TextFile(at("tsv")))), all);
  std::vector<Pair> parts;
  for (const char* shard : {"1/2", "2/2"})
    for (const Pair& pair : pairs_of(PairFile(TextFile(at("tsv"), shard)))) parts.push_back(pair);
  EXPECT_EQ(parts, all);
}

TEST_F(TextFiles, PairsAreRefusedAtTheirPlace) {
  const auto refused = [](PairFile file) -> std::string {
    try {
      for (std::string x, y; file.next(x, y);) {
      }
    } catch (const DataError& e) {
      return e.what();
    }
    return "";
  };
  write_file_atomically(at("short"), "a\n");
  write_file_atomically(at("long"), "a\nb\nc\n");
  write_file_atomically(at("empty"), "");
  write_file_atomically(at("three"), "a\tx\nb\ty\tz\n");
  EXPECT_THAT(refused(PairFile(TextFile(at("long")), TextFile(at("short")))),
              testing::AllOf(HasSubstr("long has 3 lines"), HasSubstr("short has 1")));
  EXPECT_THAT(refused(PairFile(TextFile(at("empty")), TextFile(at("short")))), HasSubstr("empty is empty"));
  EXPECT_THAT(refused(PairFile(TextFile(at("empty")))), HasSubstr("empty is empty"));
  EXPECT_THAT(refused(PairFile(TextFile(at("long")))), HasSubstr("long line 1 has no tab"));
  EXPECT_THAT(refused(PairFile(TextFile(at("three")))), HasSubstr("three line 2 has 3 fields"));
  EXPECT_THAT(refused(PairFile(TextFile(at("three"), "1/1"))),
              HasSubstr("three, line 2 of the part that begins at byte 0, has 3 fields"));
}

TEST_F(TextFiles, AreReadAsAWhole) {
  write_file_atomically(at("text"), "one\n\nthree");
  write_file_atomically(at("wrong"), "one\n\xff\n");
  write_file_atomically(at("empty"), "");
  EXPECT_EQ(read_lines(at("text")), (Lines{"one", "", "three"}));
  for (const char* name : {"wrong", "empty", "none"}) EXPECT_THROW(read_lines(at(name)), DataError) << name;
}

TEST_F(TextFiles, PartsAreWrittenOnce) {
  write_file_atomically(at("text"), "one\ntwo\nthree\n");
  const Lines models{test::model_file()};
  const auto part = [&] { return TextFile(at("text"), "1/2"); };
  EXPECT_THROW(ShardFile(at("out"), TextFile(at("text")), models, ""), UsageError);
  EXPECT_THROW(ShardFile(at("text"), part(), models, ""), UsageError);
  const size_t lines = all_of(part()).size();
  ShardFile file(at("out"), part(), models, ", --beam-size 2");
  EXPECT_FALSE(file.complete());
  for (size_t i = 0; i < lines; ++i) file.write("eins\n");
  EXPECT_FALSE(std::filesystem::exists(at("out")));
  file.finish(static_cast<int64_t>(lines));
  EXPECT_THAT(read_file(at("out")), testing::StartsWith("eins\n"));
  EXPECT_THAT(read_file(at("out.manifest.json")), HasSubstr("--beam-size 2"));
  ShardFile again(at("out"), part(), models, ", --beam-size 2");
  EXPECT_TRUE(again.complete());
  EXPECT_THROW(again.write("x"), UsageError);
  EXPECT_FALSE(ShardFile(at("out"), part(), models, "").complete()) << "made in another way";
  ShardFile wrong(at("out"), part(), models, "");
  EXPECT_THROW(wrong.finish(7), RunError);
}

TEST_F(TextFiles, AreSourcesOfStreams) {
  write_file_atomically(at("text"), "a dog\ntwo cats\n");
  const Translator translator(test::model_file());
  TextFile file(at("text"));
  LineSource source = [&](std::string& line) { return file.next(line); };
  source.ready = [&] { return file.ready(); };
  Lines found;
  for (const auto& line : translator.stream(source)) found.push_back(line.front().text);
  EXPECT_EQ(found, translator.translate({"a dog", "two cats"}));
}

}  // namespace
}  // namespace hexapla::api
