// The program as a process: killed and resumed, and the same bytes with any number of threads.
#include "program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include "backend/cpu/cpu.h"

namespace hexapla {
namespace {

// A program that answers line by line through pipes.
class CoProcess {
 public:
  explicit CoProcess(const std::string& command) {
    int in[2], out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_t pipes;
    posix_spawn_file_actions_init(&pipes);
    posix_spawn_file_actions_adddup2(&pipes, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&pipes, out[1], STDOUT_FILENO);
    const std::string text = "exec " + command;
    const char* argv[] = {"sh", "-c", text.c_str(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/sh", &pipes, nullptr, const_cast<char**>(argv), environ), 0);
    posix_spawn_file_actions_destroy(&pipes);
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~CoProcess() {
    if (pid_ > 0) end();
    close(from_);
  }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // The next output line; "" at the end, and, with a failure, if there is none for a minute.
  std::string line() {
    for (size_t end; (end = read_.find('\n')) == std::string::npos;) {
      pollfd bytes{from_, POLLIN, 0};
      char block[4096];
      const bool answered = poll(&bytes, 1, 60'000) == 1;
      EXPECT_TRUE(answered) << "no answer";
      const ssize_t n = answered ? read(from_, block, sizeof block) : 0;
      if (n <= 0) return "";
      read_.append(block, static_cast<size_t>(n));
    }
    const size_t end = read_.find('\n');
    const std::string line = read_.substr(0, end);
    read_.erase(0, end + 1);
    return line;
  }
  // Closes its input and returns how it ended.
  int end() {
    close(std::exchange(to_, -1));
    return finish(std::exchange(pid_, -1));
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string read_;
};

TEST_F(Program, KilledTwiceEqualsNeverKilled) {
  std::vector<std::string> precisions{"f32"};
  if (parse_precision("auto") != Precision::f32) precisions.emplace_back("auto");
  for (const std::string& precision : precisions) {
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
    if (signal == SIGHUP) kill(pid, signal);  // like a terminal that is closed
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

TEST_F(Program, TranslationsDoNotDependOnNeighborsOrderOrThreads) {
  auto translate = [&](const std::string& input, const std::string& options) {
    const std::string out = path("out");
    EXPECT_EQ(finish(start(kProgram + " translate -q -m " + kToyModel + " --n-best 2 " + options + " < " + input +
                           " > " + out)),
              0);
    // Removes the line numbers of the n-best format, so that different orders can be compared.
    std::vector<std::string> lines;
    std::ifstream in(out);
    for (std::string a, b; std::getline(in, a) && std::getline(in, b);)
      lines.push_back(a.substr(a.find(' ')) + "\n" + b.substr(b.find(' ')));
    return lines;
  };
  std::vector<std::string> text, precisions{""};
  for (const char* lower : {" --precision bf16", " --precision int8"})
    if (finish(start(kProgram + " translate -q -m " + kToyModel + lower + " < /dev/null 2> /dev/null")) == 0)
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

TEST_F(Program, AQuantizedModelTranslatesAlike) {
  ASSERT_EQ(finish(start(kProgram + " quantize -q -m " + kToyModel + " -o " + path("small") + " --valid-sets " +
                         path("a") + " " + path("b"))),
            0);
  EXPECT_LT(std::filesystem::file_size(path("small")), std::filesystem::file_size(kToyModel));
  const auto translated = [&](const std::string& model) {
    EXPECT_EQ(finish(start(kProgram + " translate -q -m " + model + " < " + path("a") + " > " + path("out"))), 0);
    return read_file(path("out"));
  };
  std::istringstream large(translated(kToyModel)), small(translated(path("small")));
  int lines = 0, equal = 0;
  for (std::string a, b; std::getline(large, a) && std::getline(small, b); ++lines) equal += a == b;
  for (const std::string command : {"info -m ", "inspect --src 'red dog' -m "})  // these read it as f32
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
  EXPECT_THAT(read_file(path("out")), testing::HasSubstr("of 1,000 unseen dates are right"));
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

TEST_F(Program, AnswersEachLineBeforeThereIsAnother) {
  std::vector<std::string> text;
  std::ifstream in(path("a"));
  for (std::string line; text.size() < 100 && std::getline(in, line);) text.push_back(line);
  std::ofstream(path("prefixes")) << std::string(text.size(), '\n');
  const std::string translate = kProgram + " translate -q -m " + kToyModel;
  for (const char* how : {"", " --sample --seed 3", " --jsonl"}) {
    const bool json = std::string(how) == " --jsonl";
    const auto line_of = [&](const std::string& x) { return json ? R"({"text": ")" + x + "\"}\n" : x + "\n"; };
    std::ofstream file(path("in"));
    for (const std::string& x : text) file << line_of(x);
    file.close();
    ASSERT_EQ(finish(start(translate + how + " < " + path("in") + " > " + path("out"))), 0);
    std::istringstream expected(read_file(path("out")));
    CoProcess program(translate + how);
    for (const std::string& x : text) {
      program.write(line_of(x));
      std::string together;
      std::getline(expected, together);
      ASSERT_EQ(program.line(), together) << x << how;
    }
    EXPECT_EQ(program.end(), 0);
  }
  CoProcess program(translate + " --prefix " + path("prefixes"));
  for (const std::string& x : text) {
    program.write(x.substr(0, 3));
    program.write(x.substr(3) + "\n");
    ASSERT_NE(program.line(), "");
  }
  EXPECT_EQ(program.end(), 0);
}

TEST_F(Program, ScoresEachPairBeforeThereIsAnother) {
  const std::string score = kProgram + " score -q -m " + kToyModel + " ";
  ASSERT_EQ(finish(start(score + path("a") + " " + path("b") + " > " + path("out"))), 0);
  CoProcess of_two(score + path("a") + " -"), of_one(score + "--tsv -");
  std::istringstream expected(read_file(path("out")));
  std::ifstream a(path("a")), b(path("b"));
  for (std::string x, y, together; std::getline(a, x) && std::getline(b, y);) {
    std::getline(expected, together);
    of_two.write(y + "\n");
    ASSERT_EQ(of_two.line(), together);
    of_one.write(x + "\t" + y + "\n");
    ASSERT_EQ(of_one.line(), together);
  }
  EXPECT_EQ(of_two.end(), 0);
  of_one.write("a line without a tab\n");
  EXPECT_EQ(of_one.end(), 3);
}

TEST_F(Program, LivesAsLongAsItsReaderDoes) {
  const std::string translate = kProgram + " translate -m " + kToyModel;
  // More than fits in a pipe, but only one line is read.
  ASSERT_EQ(finish(start("sh -c 'for i in $(seq 30); do cat " + path("a") + "; done > " + path("much") + "'")), 0);
  EXPECT_EQ(finish(start("sh -c '{ " + translate + " < " + path("much") + "; echo $? > " + path("code") + "; } 2> " +
                         path("err") + " | head -n 1 > " + path("out") + "'")),
            0);
  EXPECT_EQ(read_file(path("code")), "1\n");
  EXPECT_EQ(read_file(path("err")), "");
  // Closed descriptors stay closed when other files are opened.
  EXPECT_EQ(finish(start(translate + " <&- > " + path("out") + " 2> " + path("err"))), 1);
  EXPECT_THAT(read_file(path("err")), testing::HasSubstr("cannot read stdin"));
  EXPECT_EQ(finish(start(translate + " < " + path("a") + " >&- 2> " + path("err"))), 1);
  EXPECT_THAT(read_file(path("err")), testing::HasSubstr("cannot write all of the output"));
}

TEST_F(Program, AModelThatIsOverwrittenInPlaceIsTheOldOneToTheEnd) {
  const std::string model = path("copy.safetensors");
  std::filesystem::copy_file(kToyModel, model);
  CoProcess program(kProgram + " translate -q -m " + model);
  const auto answers = [&] {
    std::vector<std::string> all;
    std::ifstream in(path("a"));
    for (std::string line; all.size() < 50 && std::getline(in, line);) {
      program.write(line + "\n");
      all.push_back(program.line());
    }
    return all;
  };
  program.write("red\n");
  program.line();  // it has started
  std::fstream(model, std::ios::in | std::ios::out) << std::string(std::filesystem::file_size(model), '\x3f');
  const std::vector<std::string> written_over = answers();
  std::filesystem::resize_file(model, 0);
  EXPECT_EQ(answers(), written_over);
  EXPECT_EQ(program.end(), 0);
  CoProcess again(kProgram + " translate -q -m " + kToyModel);
  std::ifstream in(path("a"));
  for (const std::string& answer : written_over) {
    std::string line;
    std::getline(in, line);
    again.write(line + "\n");
    EXPECT_EQ(again.line(), answer);
  }
  EXPECT_EQ(again.end(), 0);
}

TEST_F(Program, OneLineOutForEachLineIn) {
  std::ofstream(path("in")) << "red dog\n\n  \nsmall cat\r\nla\xffst";
  ASSERT_EQ(finish(start(kProgram + " translate -q -m " + kToyModel + " < " + path("in") + " > " + path("out"))), 0);
  const std::string out = read_file(path("out"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 5);
  EXPECT_NE(out.find("\n\n\n"), std::string::npos) << out;  // blank lines stay blank
}

}  // namespace
}  // namespace hexapla
