#pragma once
// Runs commands in tests: arguments and stdin in; exit code, stdout and stderr out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/test_folder.h"
#include "cli/run.h"
#include "lib/test_untrained_model.h"

namespace hexapla::cli {

struct Result {
  int code;
  std::string out, err;
};

// Replaces stdin by a file with this text during its lifetime.
class StdinOf {
 public:
  explicit StdinOf(const std::string& text) : before_(dup(STDIN_FILENO)), file_(std::tmpfile()) {
    std::fwrite(text.data(), 1, text.size(), file_);
    std::rewind(file_);
    dup2(fileno(file_), STDIN_FILENO);
  }
  ~StdinOf() {
    dup2(before_, STDIN_FILENO);
    close(before_);
    std::fclose(file_);
  }
  StdinOf(const StdinOf&) = delete;
  StdinOf& operator=(const StdinOf&) = delete;

 private:
  int before_;
  std::FILE* file_;
};

inline Result run_command(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), "hexapla");
  std::vector<const char*> argv;
  for (const std::string& word : arguments) argv.push_back(word.c_str());
  StdinOf in(input);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run(static_cast<int>(argv.size()), argv.data());
  std::fflush(stdout);
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

using api::test::save_untrained_model;

// More options; they replace those of the same name.
inline std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
  const auto is_name = [](const std::string& word) { return word.starts_with("--"); };
  for (const std::string& name : more)
    if (const auto old = std::find(words.begin(), words.end(), name); is_name(name) && old != words.end())
      words.erase(old, std::find_if(old + 1, words.end(), is_name));
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A temporary folder for files that a command reads.
class CommandFolder : public TestFolder {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
};

}  // namespace hexapla::cli
