// Tests hexapla lab from the command line.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.h"
#include "base/json.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class LabCommand : public TestFolder {};

TEST_F(LabCommand, ListsItsExperiments) {
  const Result r = run_command({"lab"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(StartsWith("cost "), HasSubstr("Why are scores divided"), HasSubstr("\nsoftmax ")));
}

TEST_F(LabCommand, WritesAPageWithPicturesAndFigures) {
  const Result r =
      run_command({"lab", "ffn", "--seeds", "1", "--updates", "2", "--threads", "1", "-o", at("日文 lab")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, StartsWith("- At a position "));
  EXPECT_THAT(r.err, AllOf(HasSubstr("1 of 1: seed 1"), HasSubstr("the report: " + at("日文 lab/ffn.md"))));
  EXPECT_THAT(read_file(at("日文 lab/ffn.md")),
              AllOf(HasSubstr("`hexapla lab ffn --seeds 1 --updates 2`"), HasSubstr("1 seed,")));
  EXPECT_EQ(nlohmann::json::parse(read_file(at("日文 lab/ffn.json"))).at("seeds"), 1);
  EXPECT_TRUE(std::filesystem::exists(at("日文 lab/runs/ffn/ffn-1/model.safetensors")));
}

TEST_F(LabCommand, NamesWhatIsWrong) {
  const Result name = run_command({"lab", "skale"});
  EXPECT_EQ(name.code, 2);
  EXPECT_THAT(name.err, HasSubstr("there is no experiment 'skale'; did you mean 'scale'?"));
  const Result seeds = run_command({"lab", "scale", "--seeds", "-1"});
  EXPECT_EQ(seeds.code, 2);
  EXPECT_THAT(seeds.err, HasSubstr("--seeds is -1"));
  const Result idle = run_command({"lab", "--updates", "3"});
  EXPECT_EQ(idle.code, 2);
  EXPECT_THAT(idle.err, HasSubstr("--updates 3 is for an experiment: name one, or leave it out"));
  write_file_atomically(at("file"), "");
  const Result folder = run_command({"lab", "scale", "-o", at("file")});
  EXPECT_EQ(folder.code, 1);
  EXPECT_THAT(folder.err, AllOf(HasSubstr("cannot create the folder"), HasSubstr("--output")));
}

}  // namespace
}  // namespace hexapla::cli
