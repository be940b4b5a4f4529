// The program itself, as a process: killed and resumed, and its bytes under any number of threads.
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/test_folder.h"
#include "base/toy_corpus.h"

extern char** environ;

namespace hexapla {
namespace {

const std::string kProgram = std::string(HEXAPLA_BINARY_DIR) + "/hexapla";

// Starts a shell command; the shell execs the last one, so the process is the program's.
pid_t start(const std::string& command) {
  const std::string text = "exec " + command;
  const char* argv[] = {"sh", "-c", text.c_str(), nullptr};
  pid_t pid = -1;
  EXPECT_EQ(posix_spawn(&pid, "/bin/sh", nullptr, nullptr, const_cast<char**>(argv), environ), 0);
  return pid;
}
int finish(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Program : public TestFolder {
 protected:
  Program() { write_toy_corpus(path("a"), path("b"), 300, 3, 7); }
  std::string path(const std::string& name) const { return at(name); }
  std::string train(const std::string& run, int threads, const std::string& precision = "auto") const {
    return cat(kProgram, " train --train-sets ", path("a"), " ", path("b"), " --valid-sets ", path("a"), " ", path("b"),
               " --model ", path(run), " --vocab-size 60 --batch-tokens 128 --layers 1 --dim-model 32 --dim-ff 64",
               " --heads 2 --lr 3e-3 --warmup 30 --max-updates 90 --save-every 7 --report-every 3 --valid-every 40",
               " --average-last 3 --attention-dropout 0.1 --quiet --threads ", threads, " --precision ", precision);
  }
  std::string log(const std::string& run) const {  // without rates and times, which the clock decides
    return std::regex_replace(read_file(path(run + "/train.jsonl")), std::regex(", \"tokens_per_second\": [^}]*"), "");
  }
  std::string validations(const std::string& run) const {
    return std::regex_replace(read_file(path(run + "/valid.jsonl")), std::regex(", \"time\": \"[^\"]*\""), "");
  }
  void wait_for(const std::string& file) const {
    for (int i = 0; i < 6000 && !std::filesystem::exists(path(file)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // SIGKILL once the run has at least this many log lines.
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

TEST_F(Program, KilledTwiceEqualsNeverKilled) {
  for (const std::string precision : {"auto", "f32"}) {
    const std::string whole = "whole_" + precision;
    ASSERT_EQ(finish(start(train(whole, 1, precision))), 0);
    for (int threads : {1, 2}) {
      const std::string run = cat("killed_", precision, threads), command = train(run, threads, precision);
      kill_after(command, run, 4);
      kill_after(command, run, 17);
      ASSERT_EQ(finish(start(command)), 0);
      EXPECT_EQ(log(run), log(whole));
      EXPECT_EQ(validations(run), validations(whole));
      for (const char* file : {"/model.safetensors", "/best.safetensors"})
        EXPECT_TRUE(read_file(path(run + file)) == read_file(path(whole + file))) << run << file;
    }
  }
}

TEST_F(Program, SigtermAndSighupSaveAndStop) {
  ASSERT_EQ(finish(start(train("straight", 1))), 0);
  for (const int signal : {SIGTERM, SIGHUP}) {
    const std::string run = cat("stopped", signal), command = train(run, 1);
    const pid_t pid = start(command);
    wait_for(run + "/checkpoints");
    kill(pid, signal);
    if (signal == SIGHUP) kill(pid, signal);  // as a terminal does that is closed
    EXPECT_EQ(finish(pid), 128 + signal);
    EXPECT_EQ(finish(start(command)), 0);
    EXPECT_TRUE(read_file(path(run + "/model.safetensors")) == read_file(path("straight/model.safetensors")));
  }
}

TEST_F(Program, UnderNohupSighupStaysIgnored) {
  const pid_t pid = start("sh -c \"trap '' HUP; exec " + train("nohup", 1) + "\"");
  wait_for("nohup/checkpoints");
  kill(pid, SIGHUP);
  EXPECT_EQ(finish(pid), 0);
}

TEST_F(Program, TimeInWhichItIsStoppedIsNoTraining) {
  const auto began = std::chrono::steady_clock::now();
  const pid_t pid = start(train("slept", 1) + " --max-updates 1000000");
  wait_for("slept/checkpoints/update-00000007");
  kill(pid, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  kill(pid, SIGCONT);
  kill(pid, SIGTERM);
  EXPECT_EQ(finish(pid), 143);
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::string newest;
  for (const auto& checkpoint : std::filesystem::directory_iterator(path("slept/checkpoints")))
    newest = std::max(newest, checkpoint.path().string());
  const std::string state = read_file(newest + "/state.json"), key = "\"seconds\": \"";
  EXPECT_LT(std::stod(state.substr(state.find(key) + key.size())), all - 4.5);
}

TEST_F(Program, TranslationsDoNotDependOnNeighboursOrderOrThreads) {
  ASSERT_EQ(finish(start(train("model", 2))), 0);
  auto translate = [&](const std::string& input, const std::string& options) {
    const std::string out = path("out");
    EXPECT_EQ(finish(start(kProgram + " translate -q -m " + path("model") + " --n-best 2 " + options + " < " + input +
                           " > " + out)),
              0);
    // Without the line numbers of the n-best format, so that orders can be compared.
    std::vector<std::string> lines;
    std::ifstream in(out);
    for (std::string a, b; std::getline(in, a) && std::getline(in, b);)
      lines.push_back(a.substr(a.find(' ')) + "\n" + b.substr(b.find(' ')));
    return lines;
  };
  std::vector<std::string> text, precisions{""};
  for (const char* lower : {" --precision bf16", " --precision int8"})
    if (finish(start(kProgram + " translate -q -m " + path("model") + lower + " < /dev/null 2> /dev/null")) == 0)
      precisions.push_back(lower);
  std::ifstream in(path("a"));
  for (std::string line; text.size() < 100 && std::getline(in, line);) text.push_back(line);
  auto write = [&](const std::string& name, const std::vector<std::string>& lines) {
    std::ofstream out(path(name));
    for (const auto& l : lines) out << l << "\n";
    return path(name);
  };
  const std::string all = write("all", text);
  std::reverse(text.begin(), text.end());
  const std::string backwards = write("reversed", text);
  for (const std::string& p : precisions) {
    const auto together = translate(all, "--threads 1" + p);
    ASSERT_EQ(together.size(), 100);
    EXPECT_EQ(translate(all, "--threads 2" + p), together) << p;
    EXPECT_EQ(translate(all, "--threads 2 --batch-size 1" + p), together) << p;
    EXPECT_EQ(translate(all, "--threads 1 --batch-size 7" + p), together) << p;
    auto reversed = translate(backwards, "--threads 2 --batch-size 13" + p);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(reversed, together) << p;
  }
}

TEST_F(Program, AQuantisedModelTranslatesAlike) {
  ASSERT_EQ(finish(start(train("model", 2))), 0);
  ASSERT_EQ(finish(start(kProgram + " quantize -q -m " + path("model") + " -o " + path("small") + " --valid-sets " +
                         path("a") + " " + path("b"))),
            0);
  EXPECT_LT(std::filesystem::file_size(path("small")), std::filesystem::file_size(path("model/model.safetensors")));
  for (const char* model : {"model", "small"})
    ASSERT_EQ(
        finish(start(kProgram + " translate -q -m " + path(model) + " < " + path("a") + " > " + path("out_") + model)),
        0);
  std::istringstream large(read_file(path("out_model"))), small(read_file(path("out_small")));
  int lines = 0, equal = 0;
  for (std::string a, b; std::getline(large, a) && std::getline(small, b); ++lines) equal += a == b;
  for (const std::string command : {"info -m ", "inspect --src 'red dog' -m "})  // these see it in f32
    EXPECT_EQ(finish(start(kProgram + " " + command + path("small") + " > " + path("out"))), 0);
  EXPECT_EQ(finish(start("env HEXAPLA_ISA=avx2 " + kProgram + " translate -q -m " + path("small") + " < " + path("a") +
                         " > " + path("out"))),
            0);
  EXPECT_EQ(lines, 300);
  EXPECT_GT(equal, 200);
}

TEST_F(Program, DemoTrainsAnswersAndDraws) {
  const std::string demo = kProgram + " demo -q --threads 1 --model " + path("demo") + " --max-updates 20";
  ASSERT_EQ(finish(start(demo + " > " + path("out"))), 0);
  EXPECT_THAT(read_file(path("out")), testing::HasSubstr("of 1,000 dates that it had never seen are right"));
  ASSERT_EQ(finish(start(demo + " --text '3 March 2023' > " + path("out"))), 0);
  const std::string answer = read_file(path("out"));
  EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 1) << answer;
}

TEST_F(Program, BenchMeasures) {
  ASSERT_EQ(
      finish(start(kProgram + " bench train --json --seconds 0 --vocab-size 50 --batch-tokens 64 --write-batches " +
                   path("batches") + " > " + path("out"))),
      0);
  EXPECT_THAT(read_file(path("out")), testing::HasSubstr("\"tokens_per_second\":"));
  EXPECT_GT(read_file(path("batches")).size(), 1000u);
  ASSERT_EQ(finish(start(kProgram + " bench ops --rows 32 --vocab-size 16 --threads 1 > " + path("out"))), 0);
  EXPECT_THAT(read_file(path("out")), testing::HasSubstr("attention_backward 1 sentences of 32"));
  ASSERT_EQ(finish(start(kProgram + " bench translate --json --preset tiny --vocab-size 50 --sentences 2 --length 4 " +
                         "--rounds 1 > " + path("out"))),
            0);
  EXPECT_THAT(read_file(path("out")), testing::HasSubstr("\"tokens_per_second\":"));
}

TEST_F(Program, OneLineOutForEachLineIn) {
  ASSERT_EQ(finish(start(train("model", 2))), 0);
  std::ofstream(path("in")) << "red dog\n\n  \nsmall cat\r\nla\xffst";
  ASSERT_EQ(finish(start(kProgram + " translate -q -m " + path("model") + " < " + path("in") + " > " + path("out"))),
            0);
  const std::string out = read_file(path("out"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 5);
  EXPECT_NE(out.find("\n\n\n"), std::string::npos) << out;  // blank lines stay blank
}

}  // namespace
}  // namespace hexapla
