#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/manual/completion.h"
#include "cli/manual/man_page.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::HasSubstr;

// The output of a shell command; empty if it fails.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  return pclose(pipe) == 0 ? text : "failed: " + text;
}

bool have(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

TEST(Description, HasEveryCommandAndItsOptions) {
  const CommandDescription program = describe_program();
  const auto train = std::find_if(program.commands.begin(), program.commands.end(),
                                  [](const CommandDescription& c) { return c.name == "hexapla train"; });
  ASSERT_NE(train, program.commands.end());
  const auto best_by = std::find_if(train->options.begin(), train->options.end(),
                                    [](const OptionDescription& o) { return o.names.back() == "--best-by"; });
  ASSERT_NE(best_by, train->options.end());
  EXPECT_THAT(best_by->choices, testing::ElementsAre("auto", "bleu", "chrf", "loss", "script"));
  EXPECT_TRUE(best_by->takes_value());
}

TEST(ManPage, NamesWhatTheHelpNames) {
  for (const CommandDescription& c : describe_program().commands) {
    std::string page = man_page(c);
    for (size_t at; (at = page.find("\\-")) != std::string::npos;) page.erase(at, 1);
    for (const OptionDescription& o : c.options)
      for (const std::string& name : o.names) EXPECT_THAT(page, HasSubstr(name)) << c.name;
    EXPECT_THAT(page, HasSubstr(c.help));
  }
}

using Pages = CommandFolder;

TEST_F(Pages, ArePlainToTheFormatter) {
  const Result all = run_command({"man", "--all", folder()});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_GT(entries(), 15u);
  if (!have("groff")) GTEST_SKIP() << "there is no groff here";
  EXPECT_EQ(output_of("for f in " + folder() + "/*.1; do groff -Kutf8 -man -ww -z -Tutf8 $f; done"), "");
}

TEST(Man, RefusesACommandThatThereIsNot) {
  EXPECT_THAT(run_command({"man", "trian"}).err, HasSubstr("there is no command 'hexapla trian'"));
  EXPECT_THAT(run_command({"man", "bench", "ops"}).out, HasSubstr("HEXAPLA-BENCH-OPS"));
  EXPECT_EQ(run_command({"completion", "tcsh"}).code, 2);
  EXPECT_THAT(run_command({"man", "train", "--all", "x"}).err, HasSubstr("--all writes the pages of every command"));
}

struct Completion : CommandFolder {
  // Bash's completions of the last word.
  std::string offered(const std::string& words) {
    const std::string script = write("completion", bash_completion(describe_program()));
    write("ask", ". " + script + "\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_hexapla\n"
                     "echo \"${COMPREPLY[*]}\"\n");
    return output_of("bash " + at("ask"));
  }
};

TEST_F(Completion, OffersCommandsOptionsAndWords) {
  if (!have("bash")) GTEST_SKIP() << "there is no bash here";
  EXPECT_EQ(offered("hexapla tra"), "train translate\n");
  EXPECT_EQ(offered("hexapla train --best"), "--best-by\n");
  EXPECT_EQ(offered("hexapla train --best-by c"), "chrf\n");
  EXPECT_EQ(offered("hexapla translate --unk ''"), "keep forbid copy\n");
  EXPECT_EQ(offered("hexapla bench o"), "ops\n");
  write("text.en", "");
  EXPECT_THAT(offered("hexapla evaluate " + at("text.")), HasSubstr("text.en"));
}

TEST_F(Completion, IsReadByTheOtherShells) {
  const CommandDescription program = describe_program();
  const std::string zsh = write("zsh", zsh_completion(program)), fish = write("fish", fish_completion(program));
  if (have("zsh")) {
    EXPECT_EQ(output_of("zsh -n " + zsh), "");
  }
  if (have("fish")) {
    EXPECT_EQ(output_of("fish -n " + fish), "");
  }
  EXPECT_THAT(zsh_completion(program), HasSubstr("'*--best-by[metric that selects the best"));
  EXPECT_THAT(fish_completion(program), HasSubstr("-l best-by -d"));
}

}  // namespace
}  // namespace hexapla::cli
