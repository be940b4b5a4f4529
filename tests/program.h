#pragma once
// For tests: the program as a process, and trainings of a toy corpus with it.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/test_paths.h"

extern char** environ;

namespace hexapla {

inline const std::string kProgram = build_path("hexapla");
// A model of the text of class Program, for tests whose subject is not training (tests/fixtures/toy_model.md).
inline const std::string kToyModel = source_path("tests/fixtures/toy_model.safetensors");

// Starts a shell command with exec, so that the process is the program.
inline pid_t start(const std::string& command) {
  const std::string text = "exec " + command;
  const char* argv[] = {"sh", "-c", text.c_str(), nullptr};
  pid_t pid = -1;
  EXPECT_EQ(posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char**>(argv), environ), 0);
  return pid;
}
inline int finish(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Program : public TestFolder {
 protected:
  Program() {
    write_toy_corpus(path("a"), path("b"), 300, 3, 7);
    std::ofstream(path("options.yml"))
        << "vocab-size: 60\nbatch-tokens: 128\nlayers: 1\ndim-model: 32\ndim-ff: 64\nheads: 2\nlr: 3e-3\nwarmup: 30\n"
           "max-updates: 90\nsave-every: 7\nreport-every: 3\nvalid-every: 40\naverage-last: 3\n"
           "attention-dropout: 0.1\nquiet: true\n";
  }
  std::string path(const std::string& name) const { return at(name); }
  // More options may follow; they override those of options.yml.
  std::string train(const std::string& run, int threads, const std::string& precision = "auto") const {
    return cat(kProgram, " train -c ", path("options.yml"), " --train-sets ", path("a"), " ", path("b"),
               " --valid-sets ", path("a"), " ", path("b"), " --model ", path(run), " --threads ", threads,
               " --precision ", precision);
  }
  std::string log(const std::string& run) const {  // without rates and times
    return std::regex_replace(read_file(path(run + "/train.jsonl")), std::regex(", \"tokens_per_second\": [^}]*"), "");
  }
  std::string validations(const std::string& run) const {
    return std::regex_replace(read_file(path(run + "/valid.jsonl")), std::regex(", \"time\": \"[^\"]*\""), "");
  }
  void wait_for(const std::string& file) const {
    for (int i = 0; i < 6000 && !std::filesystem::exists(path(file)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // Sends SIGKILL once the run has at least this many log lines.
  void kill_after(const std::string& command, const std::string& run, size_t lines) const {
    const pid_t pid = start(command);
    for (int i = 0; i < 6000; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::ifstream in(path(run + "/train.jsonl"));
      if (size_t(std::count(std::istreambuf_iterator<char>(in), {}, '\n')) >= lines) break;
    }
    kill(pid, SIGKILL);
    EXPECT_EQ(finish(pid), -SIGKILL) << "the run ended before it was killed";
  }
};

}  // namespace hexapla
