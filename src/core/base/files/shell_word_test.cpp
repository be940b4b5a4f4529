#include "base/files/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"

namespace hexapla {
namespace {

TEST(ShellWord, IsQuotedWhereAShellNeedsIt) {
  for (const char* plain : {"run", "a/b-c_1.de", "-", "训练", "ü", "a=b:c,d@e%f+g"})
    EXPECT_EQ(shell_word(plain), plain);
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-x"), "./-x");
  EXPECT_EQ(shell_word("- x"), "'./- x'");
}

// A shell reads the word as the original name.
TEST(ShellWord, IsTheNameForAShell) {
  for (std::string name :
       {"a b", "$HOME", "`x`", "a;b", "a'b\"c", "*", "~", "a\\b", "a\nb", "!", "#x", "(a)", "a&b", "<x>"}) {
    const std::string command = "printf %s " + shell_word(name);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(popen(command.c_str(), "r"), pclose);
    std::array<char, 64> text{};
    const size_t read = std::fread(text.data(), 1, text.size(), out.get());
    EXPECT_EQ(std::string(text.data(), read), name);
  }
}

using JoinedPaths = TestFolder;

TEST_F(JoinedPaths, AreThoseBetweenPluses) {
  EXPECT_EQ(joined_paths("a+b/c+d", "model"), (std::vector<std::string>{"a", "b/c", "d"}));
  EXPECT_EQ(joined_paths("a", "model"), std::vector<std::string>{"a"});
  EXPECT_EQ(joined_paths("", "model"), std::vector<std::string>{""});
  write_file_atomically(at("c++"), "");
  EXPECT_EQ(joined_paths(at("c++"), "model"), std::vector<std::string>{at("c++")}) << "a file of that name";
  for (const char* wrong : {"+", "a+", "+a", "a++b"}) EXPECT_THROW(joined_paths(wrong, "model"), UsageError) << wrong;
}

}  // namespace
}  // namespace hexapla
