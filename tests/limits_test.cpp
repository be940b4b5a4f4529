// The program with limited address space, as by `ulimit -v`: it reserves no more than it uses, and
// names the limit that it reached and the value that it needs.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/system/machine.h"
#include "base/system/test_control_group.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Limits : public TestFolder {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs all addresses";
#endif
    write_toy_corpus(at("a"), at("b"), 2000, 3, 7);
    write_toy_corpus(at("few_a"), at("few_b"), 20, 3, 8);
  }
  struct End {
    int code;
    std::string errors;
  };
  End run(int64_t kib, const std::string& arguments, const std::string& input = "/dev/null") const {
    const std::string command = cat("ulimit -v ", kib, "; exec ", build_path("hexapla"), " ", arguments, " < ", input,
                                    " > ", at("out"), " 2> ", at("errors"));
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(at("errors"))};
  }
  std::string train(const std::string& options = "--batch-tokens 256") const {
    std::filesystem::remove_all(at("run"));
    return cat("train --train-sets ", at("a"), " ", at("b"), " --valid-sets ", at("few_a"), " ", at("few_b"),
               " --model ", at("run"), " --preset tiny --vocab-size 100 --max-updates 2",
               " --max-epochs 0 --threads 2 --quiet ", options);
  }
};

TEST_F(Limits, AToyTrainingAndItsModelNeedNoMoreThanAnOrdinaryLimit) {
  constexpr int64_t gibibyte = int64_t{1} << 20;  // KiB
  const End trained = run(2 * gibibyte, train("--batch-tokens 256 --valid-every 1"));
  ASSERT_EQ(trained.code, 0) << trained.errors;
  for (const std::string command : {"translate -q -m ", "inspect --src 'red dog' -m ", "info -m "})
    EXPECT_EQ(run(2 * gibibyte, command + at("run"), at("few_a")).code, 0) << command << read_file(at("errors"));
  const End measured = run(2 * gibibyte, "bench train --seconds 0 --vocab-size 100 --batch-tokens 256 --threads 2");
  EXPECT_EQ(measured.code, 0) << measured.errors;
}

TEST_F(Limits, DoctorTellsOfThem) {
  if (usable_memory() <= size_t{2} << 30) GTEST_SKIP() << "this machine has less memory than the limit of the test";
  const End end = run(int64_t{2} << 20, "doctor");
  EXPECT_EQ(end.code, 0) << end.errors;
  EXPECT_THAT(read_file(at("out")), HasSubstr("; this process may have 2.0 GiB (ulimit -v)"));
}

TEST_F(Limits, ATrainingThatDoesNotFitSaysHowMuchItNeeds) {
  const std::string large = train("--batch-tokens 6000");
  End end = run(520'000, large);  // enough for SentencePiece, whose threads may reserve 64 MiB each
  ASSERT_EQ(end.code, 1) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("(ulimit -v)"));
  for (int i = 0; i < 4 && end.code == 1; ++i) {
    std::smatch number;
    ASSERT_TRUE(std::regex_search(end.errors, number, std::regex("\\bto (\\d+) (KiB )?or more"))) << end.errors;
    end = run(std::stoll(number[1]), large);
  }
  EXPECT_EQ(end.code, 0) << end.errors;
}

// Wherever memory runs out: libraries, the model, vectors, threads, working memory.
TEST_F(Limits, ATranslationThatDoesNotFitNamesTheLimit) {
#ifdef __clang__
  GTEST_SKIP() << "Clang's OpenMP ends a program that has no memory for its threads";
#endif
  ASSERT_EQ(run(int64_t{4} << 20, train()).code, 0) << read_file(at("errors"));
  int refused = 0;
  for (int64_t kib = 40'000; kib < 100'000; kib += 3'000) {
    if (run(kib - 1'000, "--version").code != 0) continue;  // even the program's libraries do not load
    const End end = run(kib, cat("translate -q --threads 2 -m ", at("run")), at("few_a"));
    if (end.code == 0) break;
    ++refused;
    EXPECT_EQ(end.code, 1) << kib << " KiB: " << end.errors;
    EXPECT_THAT(end.errors, AllOf(HasSubstr("hexapla: error: "), HasSubstr("(ulimit -v)"))) << kib;
  }
  EXPECT_GT(refused, 0);
}

// Memory runs out while SentencePiece trains in its own threads.
TEST_F(Limits, AVocabularyThatDoesNotFitEndsWithAMessage) {
  bool too_little = false, enough = false;
  for (int64_t kib = 80'000; kib < 1'200'000 && !enough; kib += 40'000) {
    if (run(kib - 1'000, "--version").code != 0) continue;
    const End end = run(kib, train());
    EXPECT_THAT(end.errors, Not(HasSubstr("terminate called"))) << kib;
    EXPECT_THAT(end.errors, Not(HasSubstr("bug in hexapla"))) << kib;
    enough = end.code == 0;
    if (enough) continue;
    EXPECT_EQ(end.code, 1) << kib << " KiB: " << end.errors;
    EXPECT_THAT(end.errors, HasSubstr("hexapla: error: ")) << kib;
    const bool trained = end.errors.find("cannot train a vocabulary") == std::string::npos;
    if (trained) continue;
    EXPECT_THAT(end.errors, AllOf(HasSubstr("lower --vocab-lines"), HasSubstr("(ulimit -v)"))) << kib;
    too_little = true;
  }
  EXPECT_TRUE(enough);
  EXPECT_TRUE(too_little) << "no limit was hit while the vocabulary was trained";
}

// A control group does not refuse memory: it kills.
TEST_F(Limits, InAControlGroupTheProgramSaysWhatDoesNotFit) {
  const TestControlGroup group("memory");
  if (!group) GTEST_SKIP() << "no group of version 1 can be made here for the controller memory";
  const auto train_with = [&](size_t mebibytes) {
    EXPECT_TRUE(group.set("memory.limit_in_bytes", mebibytes << 20));
    const std::string command = cat("echo $$ > ", group.members(), " && exec ", build_path("hexapla"), " ",
                                    train("--batch-tokens 512"), " 2> ", at("errors"));
    const int status = std::system(command.c_str());
    return End{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(at("errors"))};
  };
  const End end = train_with(40);
  EXPECT_EQ(end.code, 1) << end.errors;
  EXPECT_THAT(end.errors, AnyOf(HasSubstr("give the container or job more memory"), HasSubstr("lower --vocab-lines")));
  EXPECT_EQ(train_with(600).code, 0) << read_file(at("errors"));
}

}  // namespace
}  // namespace hexapla
