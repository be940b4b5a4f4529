#include "base/system/subprocess.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/files/test_folder.h"

namespace hexapla {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

class SubprocessTest : public TestFolder {
 protected:
  std::string script(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(at(name), std::filesystem::perms::owner_all);
    return at(name);
  }
  SubprocessResult run(const std::string& text, const std::vector<std::string>& arguments = {},
                       double seconds = 60) const {
    std::vector<std::string> words{script("p", text)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_to_end({words, at("errors"), seconds});
  }
};

TEST_F(SubprocessTest, ArgumentsAreNoShellText) {
  const std::vector<std::string> odd{"a b", "$(touch x); `y` \"z' \\", "*", "", "-n"};
  const SubprocessResult r = run("for a in \"$@\"; do printf '[%s]' \"$a\"; done", odd);
  EXPECT_EQ(r.problem, "");
  EXPECT_EQ(r.out, "[a b][$(touch x); `y` \"z' \\][*][][-n]");
  const std::string path = script("a b; exit 1", "echo 5");
  EXPECT_EQ(run_to_end({{path}, at("errors"), 60}).out, "5\n");
}

TEST_F(SubprocessTest, HowItEnded) {
  EXPECT_EQ(run("echo 1; exit 3").problem, "ended with exit code 3");
  EXPECT_THAT(run("kill -9 $$").problem, HasSubstr("was ended by signal 9"));
  EXPECT_EQ(run("echo oh no >&2; exit 1").out, "");
  std::ifstream errors(at("errors"));
  std::string said;
  std::getline(errors, said);
  EXPECT_EQ(said, "oh no");
  EXPECT_THAT(run_to_end({{at("none")}, at("errors"), 60}).problem, HasSubstr("could not be started: No such file"));
}

TEST_F(SubprocessTest, OneThatHangsIsStoppedWithItsChildren) {
  const SubprocessResult r = run("sleep 1000 & echo $! > " + at("child") + "; wait", {}, 2);
  EXPECT_THAT(r.problem, HasSubstr("and was stopped"));
  int child = 0;
  std::ifstream(at("child")) >> child;
  if (child == 0) GTEST_SKIP() << "the machine was too busy to start the child in two seconds";
  // It is dead or a zombie: the process that collects orphans here may not have done so yet.
  const auto lives = [&] {
    std::ifstream state(cat("/proc/", child, "/stat"));
    std::string words;
    std::getline(state, words);
    return !words.empty() && words.find(") Z") == std::string::npos && words.find(") X") == std::string::npos;
  };
  for (int i = 0; lives() && i < 1000; ++i) usleep(10'000);
  EXPECT_FALSE(lives());
}

TEST_F(SubprocessTest, MuchOutputAndALeftoverChildDoNotHoldIt) {
  const SubprocessResult r = run("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo 7");
  EXPECT_EQ(r.problem, "");
  EXPECT_THAT(r.out, AllOf(SizeIs(testing::Le(256u << 10)), testing::EndsWith("x\n7\n")));
  EXPECT_EQ(run("sleep 5 & echo 8").out, "8\n") << "the child keeps the pipe open";
}

TEST_F(SubprocessTest, SeesNoFileOfThisProgram) {
  const int open = dup2(STDERR_FILENO, 57);
  ASSERT_EQ(open, 57);
  EXPECT_EQ(run("test -e /proc/$$/fd/57 && echo open || echo closed").out, "closed\n");
  close(open);
}

TEST_F(SubprocessTest, ProgramsAreFound) {
  EXPECT_EQ(find_program(script("p", ""), "`x`"), at("p"));
  EXPECT_THAT(find_program("sh", "`x`"), testing::EndsWith("/sh"));
  std::ofstream(at("text")) << "no program";
  EXPECT_THAT(what_of<UsageError>([&] { find_program(at("text"), "`x`"); }),
              HasSubstr("is not executable; chmod +x it"));
  EXPECT_THAT(what_of<UsageError>([&] { find_program(at("none"), "`x`"); }),
              HasSubstr("`x` " + at("none") + " does not exist"));
  EXPECT_THAT(what_of<UsageError>([&] { find_program("no-such-program", "`x`"); }), HasSubstr("on PATH"));
}

}  // namespace
}  // namespace hexapla
