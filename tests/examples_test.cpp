// The projects of examples/ run to their ends and give what their pages promise.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

using testing::HasSubstr;

class Examples : public TestFolder {
 protected:
  // Runs a script of examples/ in the folder. -> its exit code; its output is in the file "said".
  int run(const std::string& script, const std::string& arguments = "") const {
    const int status = std::system(cat("cd '", folder(), "' && export OMP_WAIT_POLICY=passive PATH=\"$(dirname '",
                                       build_path("hexapla"), "'):$PATH\"; bash '", source_path("examples/" + script),
                                       "' ", arguments, " > said 2>&1 < /dev/null")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string said() const { return read_file(at("said")); }
};

// One training for both: serve/run.sh without a model makes this one.
TEST_F(Examples, OwnModelLearnsNumbersAndAnswersThroughNginxWithTheTerm) {
  ASSERT_EQ(run("own-model/run.sh"), 0) << said();
  EXPECT_THAT(said(), testing::ContainsRegex("BLEU.* = (9[0-9]|100)\\.[0-9] ")) << said();
  EXPECT_TRUE(std::filesystem::exists(at("own-model/run/report.html")));
  ASSERT_EQ(std::system(cat("'", build_path("hexapla"), "' export '", at("own-model/run"), "' --to hf-marian -o '",
                            at("published"), "' 2> '", at("said"), "'")
                            .c_str()),
            0)
      << said();
  const int code = run("serve/run.sh", "published");
  if (code == 77) GTEST_SKIP() << said();
  ASSERT_EQ(code, 0) << said();
  const auto answer = nlohmann::json::parse(read_file(at("served/answer.json")));
  EXPECT_THAT(answer.at("translations").at(0).at(0).at("text").get<std::string>(), HasSubstr("zwo"));
}

TEST_F(Examples, OwnModelTrainsOnTheTableOfItsUser) {
  const std::string table =
      cat("awk -v n=500 -f '", source_path("examples/own-model/numbers.awk"), "' > '", at("mine.tsv"), "'");
  ASSERT_EQ(std::system(table.c_str()), 0);
  ASSERT_EQ(run("own-model/run.sh",
                "mine.tsv here --preset tiny --layers 1 --dim-model 32 --dim-ff 64 --vocab-size 90 --max-updates 2"),
            0)
      << said();
  EXPECT_THAT(said(), HasSubstr("BLEU"));
  ASSERT_EQ(std::system(cat("sed -i 400q '", at("mine.tsv"), "'").c_str()), 0);
  EXPECT_EQ(run("own-model/run.sh", "mine.tsv small"), 1);
  EXPECT_THAT(said(), HasSubstr("no more than 400 different pairs"));
}

TEST_F(Examples, ClassHasItsModelExperimentAndPage) {
  ASSERT_EQ(run("class/run.sh", "class 60"), 0) << said();
  for (const char* file : {"class/dates/model.safetensors", "class/lab/ffn.md", "class/tour.html"})
    EXPECT_TRUE(std::filesystem::exists(at(file))) << file;
  EXPECT_THAT(read_file(at("class/findings")), HasSubstr("hidden units"));
}

}  // namespace
}  // namespace hexapla
