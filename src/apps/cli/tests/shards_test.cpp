// Parts of a file, each answered by its own process, then joined.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "cli/test_command.h"
#include "data/files/lines.h"
#include "data/files/shard_files.h"
#include "data/files/test_compress.h"
#include "data/packed/compression.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

class ShardsTest : public CommandFolder {
 protected:
  ShardsTest() {
    const Words german{"ein", "Hund", "läuft", "schnell", "über", "die", "Straße"};
    Random random(5, 1);
    for (int i = 0; i < 57; ++i) {
      std::string line;
      const uint32_t words = random.below(6);  // a line may be empty
      for (uint32_t w = 0; w < words; ++w) line += (w > 0 ? " " : "") + german[random.below(7)];
      lines_.push_back(line);
    }
    const text::Vocabulary v = text::Vocabulary::train(german, {.size = 30});
    save_untrained_model(at("m.safetensors"), v);
    std::string text, tsv;
    for (const std::string& line : lines_) text += line + "\n", tsv += line + "\t" + german[line.size() % 7] + "\n";
    text.pop_back();  // the last line needs no end
    write("in", text), write("in.tsv", tsv);
  }
  Result translate(const Words& more, const std::string& input = "") const {
    return run_command(Words{"translate", "-m", at("m.safetensors"), "--precision", "f32", "--max-length", "8"} + more,
                       input);
  }
  std::string part(int i) const { return at(cat("part-", i)); }
  Words parts(int of) const {
    Words all;
    for (int i = of; i >= 1; --i) all.push_back(part(i));
    return all;
  }

  Words lines_;
};

TEST_F(ShardsTest, OfAFileAreTheBytesOfTheWhole) {
  const std::string whole = translate({"-q"}, read_file(at("in"))).out;
  for (const int of : {1, 2, 7, 100}) {  // some of a hundred parts have no line
    for (int i = 1; i <= of; ++i) {
      const Words shard{"--input", at("in"), "--shard", cat(i, "/", of), "--output", part(i), "-q"};
      const Result r = translate(shard);
      ASSERT_EQ(r.code, 0) << r.err;
      EXPECT_EQ(r.out, "");
    }
    const Result joined = run_command(Words{"join"} + parts(of) + Words{"-o", at("joined")});
    EXPECT_EQ(joined.code, 0) << joined.err;
    EXPECT_THAT(joined.err, HasSubstr("57 lines"));
    EXPECT_EQ(read_file(at("joined")), whole) << of << " parts";
  }
  std::string printed;
  for (const char* shard : {"1/3", "2/3", "3/3"})
    printed += translate({"--input", at("in"), "--shard", shard, "-q"}).out;
  EXPECT_EQ(printed, whole) << "to stdout";
}

// Files compressed in one piece or in many give the same bytes; one piece gives a note.
TEST_F(ShardsTest, OfCompressedFilesAreThoseOfThePlainOne) {
  std::string large;  // mostly blanks, so that there is little to translate
  while (large.size() <= 2'200'000) large += std::string(70000, ' ') + "\n";
  const std::string text = read_file(at("in")) + "\n" + large;
  write("plain", text);
  write("one.zst", data::zstd(text));
  write("many.zst", data::zstd(text.substr(0, 1'100'000)) + data::zstd(text.substr(1'100'000)));
  const auto parts_of = [&](const std::string& input, const std::string& more) {
    for (int i = 1; i <= 3; ++i) {
      const Result r = translate({"--input", at(input), "--shard", cat(i, "/3"), "--output", part(i)});
      EXPECT_EQ(r.code, 0) << r.err;
      EXPECT_THAT(r.err, HasSubstr(more));
      EXPECT_EQ(r.err.find("all of it before the part was unpacked") != r.err.npos, !more.empty()) << input;
    }
    EXPECT_EQ(run_command(Words{"join"} + parts(3) + Words{"-o", at("joined")}).code, 0);
    return read_file(at("joined"));
  };
  const std::string plain = parts_of("plain", "");
  EXPECT_TRUE(parts_of("one.zst", "one.zst is one piece of zstd data") == plain);
  EXPECT_TRUE(parts_of("many.zst", "") == plain);
}

TEST_F(ShardsTest, AreCompressedAsTheNameAsks) {
  const std::string whole = translate({"-q"}, read_file(at("in"))).out;
  const auto unpacked = [&](const std::string& file) {
    std::string all;
    for (const std::string& line : data::read_lines(file)) all += line + "\n";
    return all;
  };
  for (const std::string ending : {".gz", ".zst", ".xz"}) {
    Words names;
    for (int i = 1; i <= 3; ++i) {
      names.push_back(part(i) + ending);
      const Words shard{"--input", at("in"), "--shard", cat(i, "/3"), "--output", names.back(), "-q"};
      const Result r = translate(shard);
      ASSERT_EQ(r.code, 0) << r.err;
      EXPECT_NE(data::compression_of(read_file(names.back())), data::Compression::none) << names.back();
      EXPECT_THAT(translate({"--input", at("in"), "--shard", cat(i, "/3"), "--output", names.back()}).err,
                  HasSubstr("is complete already"));
    }
    const Result joined = run_command(Words{"join"} + names + Words{"-o", at("joined" + ending)});
    EXPECT_EQ(joined.code, 0) << joined.err;
    EXPECT_THAT(joined.err, HasSubstr("57 lines"));
    EXPECT_EQ(data::compression_of(read_file(at("joined" + ending))), data::compression_by_name(ending));
    EXPECT_EQ(unpacked(at("joined" + ending)), whole);
    EXPECT_THAT(run_command(Words{"join"} + names + Words{"-o", at("joined")}).err, HasSubstr("ends as theirs do"));
  }
  for (int i = 1; i <= 2; ++i)
    ASSERT_EQ(translate({"--input", at("in"), "--shard", cat(i, "/2"), "--output", part(i)}).code, 0);
  ASSERT_EQ(run_command(Words{"join"} + parts(2) + Words{"-o", at("plain.gz")}).code, 0);
  EXPECT_EQ(unpacked(at("plain.gz")), whole);
}

TEST_F(ShardsTest, AreScoredFromOneFile) {
  const Words score{"score", "-m", at("m.safetensors"), "--precision", "f32", "-q"};
  const std::string whole = run_command(score + Words{"--tsv", at("in.tsv")}).out;
  for (int i = 1; i <= 3; ++i)
    ASSERT_EQ(run_command(score + Words{"--tsv", at("in.tsv"), "--shard", cat(i, "/3"), "--output", part(i)}).code, 0);
  ASSERT_EQ(run_command(Words{"join"} + parts(3) + Words{"-o", at("joined")}).code, 0);
  EXPECT_EQ(read_file(at("joined")), whole);
  EXPECT_THAT(run_command(score + Words{at("in"), at("in"), "--shard", "1/3"}).err,
              HasSubstr("--shard needs one file with both sides: give --tsv FILE"));
}

TEST_F(ShardsTest, ThatAreWholeAreLeftAlone) {
  const Words shard{"--input", at("in"), "--shard", "1/2", "--output", part(1)};
  ASSERT_EQ(translate(shard).code, 0);
  const std::string before = read_file(part(1)), manifest = read_file(part(1) + ".manifest.json");
  const auto written = [&] { return std::filesystem::last_write_time(part(1)); };
  const auto time = written();
  EXPECT_THAT(translate(shard + Words{"--threads", "2", "--batch-sentences", "3"}).err,
              HasSubstr("is complete already"));
  EXPECT_EQ(written(), time);
  write("part-1", before.substr(1));
  EXPECT_EQ(translate(shard).code, 0);
  EXPECT_EQ(read_file(part(1)), before) << "what others have changed is made anew";
  EXPECT_EQ(read_file(part(1) + ".manifest.json"), manifest);
  std::filesystem::remove(part(1) + ".manifest.json");
  EXPECT_EQ(translate(shard).code, 0);
  EXPECT_EQ(read_file(part(1) + ".manifest.json"), manifest) << "so is one without a manifest";
  EXPECT_EQ(translate(shard + Words{"--beam-size", "2"}).code, 0);
  EXPECT_NE(read_file(part(1) + ".manifest.json"), manifest) << "and one of other options";
}

TEST_F(ShardsTest, AreJoinedOnlyWhenAllAreThere) {
  for (int i = 1; i <= 4; ++i)
    ASSERT_EQ(translate({"--input", at("in"), "--shard", cat(i, "/4"), "--output", part(i), "-q"}).code, 0);
  const auto refused = [&](const Words& files) {
    const Result r = run_command(Words{"join"} + files + Words{"-o", at("joined")});
    EXPECT_EQ(r.code, 3) << r.err;
    EXPECT_FALSE(std::filesystem::exists(at("joined")));
    return r.err;
  };
  Words with_manifests = parts(4);  // as the shell expands part-*
  for (const std::string& path : parts(4)) with_manifests.push_back(path + ".manifest.json");
  with_manifests.push_back(write("part-3.tmp-4711-0", "of a worker that was kil"));
  EXPECT_EQ(run_command(Words{"join"} + with_manifests + Words{"-o", at("joined")}).code, 0);
  std::filesystem::remove(at("joined"));
  EXPECT_THAT(refused({part(1), part(3)}), HasSubstr("of 4 parts these are missing: 2, 4; run them"));
  EXPECT_THAT(refused(parts(4) + Words{part(2)}), HasSubstr("duplicates part 2/4"));
  ASSERT_EQ(translate({"--input", at("in"), "--shard", "1/3", "--output", at("other"), "-q"}).code, 0);
  EXPECT_THAT(refused({at("other"), part(2)}), HasSubstr("do not belong together: one of 3 parts, the other of 4"));
  const std::string second = read_file(part(2));
  write("part-2", second.substr(0, second.size() - 1));
  EXPECT_THAT(refused(parts(4)), AllOf(HasSubstr("part-2: has "), HasSubstr("run this part again")));
  std::string changed = second;
  changed[0] ^= 1;
  write("part-2", changed);
  EXPECT_THAT(refused(parts(4)), HasSubstr("was changed since it was written"));
  for (const char* wrong : {"{}", R"({"format": 1, "format_version": 1})"}) {
    write("part-2.manifest.json", wrong);
    EXPECT_THAT(refused(parts(4)), HasSubstr("is not the manifest of a part"));
  }
  for (const char* other :
       {R"({"format": "of others", "format_version": 1})", R"({"format": "hexapla shard", "format_version": 2})"}) {
    write("part-2.manifest.json", other);
    EXPECT_THAT(refused(parts(4)), HasSubstr("is no manifest of version 1"));
  }
}

TEST_F(ShardsTest, AreRefusedWithARemedy) {
  const auto message = [&](const Words& more, int code = 2) {
    const Result r = translate(more);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_EQ(r.out, "");
    return r.err;
  };
  const Words input{"--input", at("in")};
  EXPECT_THAT(message({"--shard", "1/2"}), HasSubstr("--shard is for a file: give --input FILE"));
  EXPECT_THAT(message({"--output", part(1)}), HasSubstr("--output is for a file: give --input FILE"));
  for (const char* wrong : {"3", "0/2", "3/2", "1/", "/2", "a/b", "1/2/3", "-1/2"})
    EXPECT_THAT(message(input + Words{"--shard", wrong, "--output", part(1)}),
                HasSubstr(cat("--shard is '", wrong, "'")));
  for (const Words& numbered : {Words{"--sample"}, {"--beam-size", "3", "--n-best", "2"}, {"--prefix", at("in")}})
    EXPECT_THAT(message(input + Words{"--shard", "1/2"} + numbered), HasSubstr("depends on line numbers"));
  write("in.gz", std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  EXPECT_THAT(message({"--input", at("in.gz"), "--shard", "1/2"}, 3),
              AllOf(HasSubstr("in.gz: the gzip data stops in the middle"), HasSubstr("compress the file again")));
  EXPECT_THAT(message(input + Words{"--shard", "1/2", "--output", at("in")}), HasSubstr("would be overwritten"));
  EXPECT_THAT(message({"--input", at("none"), "--shard", "1/2"}, 3), HasSubstr("none"));
}

}  // namespace
}  // namespace hexapla::cli
