// Tests hexapla distill and augment from the command line.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.h"
#include "base/files/test_toy_corpus.h"
#include "base/test_paths.h"
#include "cli/test_command.h"
#include "data/files/lines.h"

namespace hexapla::cli {
namespace {

using data::read_lines;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kShort{"--layers",    "1",   "--dim-model",   "8",    "--dim-ff",      "8",
                                      "--heads",     "2",   "--vocab-size",  "40",   "--max-updates", "4",
                                      "--warmup",    "2",   "--preset",      "tiny", "--threads",     "1",
                                      "--precision", "f32", "--valid-every", "2"};

using DistillCommand = CommandFolder;

TEST_F(DistillCommand, TrainsOnTheTeachersTranslationsAndGoesOn) {
  write_toy_corpus(at("a.en"), at("a.de"), 60);
  write_toy_corpus(at("v.en"), at("v.de"), 10, 8);
  const std::string teacher = source_path("tests/fixtures/toy_model.safetensors");
  const auto distill = [&](const std::string& from) {
    return run_command(std::vector<std::string>{"distill", "-m", from, "--train-sets", at("a.en"), at("a.de"),
                                                "--valid-sets", at("v.en"), at("v.de"), "--model", at("s")} +
                       kShort);
  };
  const Result r = distill(teacher);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 4) << "a table of three models\n" << r.out;
  for (const char* file :
       {"distilled.en", "distilled.de", "model.safetensors", "model.int8.safetensors", "shortlist.bin"})
    EXPECT_TRUE(std::filesystem::exists(at("s/") + file)) << file;
  EXPECT_EQ(read_file(at("s/distilled.en")), read_file(at("a.en")));
  EXPECT_THAT(distill(teacher).err, HasSubstr("the teacher's translations are in"));
  std::filesystem::copy(teacher, at("other"));
  EXPECT_EQ(distill(at("other")).code, 2);
}

using TrainCommand = CommandFolder;

TEST_F(TrainCommand, TrainsWithSeveralSeeds) {
  write_toy_corpus(at("a"), at("b"), 60);
  const Result r = run_command(std::vector<std::string>{"train", "--train-sets", at("a"), at("b"), "--model",
                                                        at("runs"), "--hold-out", "10", "--seeds", "2"} +
                               kShort);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr(" of 2 seeds: mean "));
  EXPECT_NE(read_file(at("runs/seed-1/model.safetensors")), read_file(at("runs/seed-2/model.safetensors")));
}

class AugmentCommand : public CommandFolder {
 protected:
  AugmentCommand() {
    write("a", "one\ntwo\n");
    write("b", "eins\nzwei\n");
  }
};

TEST_F(AugmentCommand, WritesBothDirections) {
  const Result r =
      run_command({"augment", "--both-directions", "--train-sets", at("a"), at("b"), "-o", at("x"), at("y.xz")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("4 pairs, 2 of them new"));
  EXPECT_THAT(read_lines(at("x")), ElementsAre("one", "eins", "two", "zwei"));
  EXPECT_THAT(read_lines(at("y.xz")), ElementsAre("eins", "one", "zwei", "two"));
}

TEST_F(AugmentCommand, TranslatesAndNamesTheTag) {
  save_untrained_model(at("m"), text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14}));
  const std::vector<std::string> back{"augment", "--back-translate", at("b"), "-m", at("m"), "--beam-size",
                                      "1",       "--min-length",     "2",     "-o", at("x"), at("y")};
  const Result r = run_command(back + std::vector<std::string>{"--tag", "<synthetic>"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("train on them with --user-symbols '<synthetic>'"));
  for (const std::string& line : read_lines(at("x"))) EXPECT_THAT(line, testing::StartsWith("<synthetic> "));
}

// With such a high penalty and every piece in the beam, the empty translation scores best.
TEST_F(AugmentCommand, SaysWhatToDoAboutEmptyTranslations) {
  save_untrained_model(at("m"), text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14}));
  const std::vector<std::string> distill{"augment",        "--distill", "--train-sets", at("a"), at("b"),       "-m",
                                         at("m"),          "-o",        at("x"),        at("y"), "--beam-size", "20",
                                         "--word-penalty", "1000",      "--protect",    "none"};
  const Result empty = run_command(distill);
  ASSERT_EQ(empty.code, 0) << empty.err;
  EXPECT_THAT(empty.err, HasSubstr("left out: 2 lines without a translation; where an empty one scores best, "
                                   "--min-length 1 finds another"));
  const Result longer = run_command(distill + std::vector<std::string>{"--min-length", "1"});
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_THAT(longer.err, testing::Not(HasSubstr("left out")));
  EXPECT_THAT(longer.err, HasSubstr("2 pairs, 2 of them new"));
}

TEST_F(AugmentCommand, NamesWhatIsWrong) {
  const auto refused = [&](const std::vector<std::string>& words, const std::string& message) {
    const Result r = run_command(std::vector<std::string>{"augment"} + words);
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
  };
  const std::vector<std::string> sets{"--train-sets", at("a"), at("b")}, to{"-o", at("x"), at("y")};
  refused(sets + to, "give one of --distill, --back-translate FILE and --both-directions");
  refused(sets + to + std::vector<std::string>{"--distill", "--both-directions"}, "give one of");
  refused(sets + to + std::vector<std::string>{"--distill"}, "--model is missing");
  refused(to + std::vector<std::string>{"--both-directions"}, "--train-sets is missing");
  refused(sets + std::vector<std::string>{"--both-directions"}, "--output is missing");
  refused(sets + std::vector<std::string>{"--both-directions", "-o", at("x"), at("./x")}, "names one file twice");
  refused(sets + std::vector<std::string>{"--both-directions", "-o", at("x"), at("b")}, "--output");
  refused(sets + to + std::vector<std::string>{"--both-directions", "--tag", "<x>"},
          "--tag <x> is for --back-translate");
  refused(to + std::vector<std::string>{"--back-translate", at("b"), "-m", at("a"), "--tag", "<B T>"}, "--tag");
  EXPECT_EQ(read_lines(at("b")), (std::vector<std::string>{"eins", "zwei"}));
  EXPECT_FALSE(std::filesystem::exists(at("x")));
}

}  // namespace
}  // namespace hexapla::cli
