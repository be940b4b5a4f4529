// Several processes as users start them: with mpirun, or with programs that run commands on many
// machines. Those not installed are skipped with the reason; src/core/train/shards and
// src/apps/cli/tests/shards_test.cpp test the same without them.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Ended {
  int code;
  std::string text;  // stdout and stderr
};

class SeveralProcesses : public TestFolder {
 protected:
  SeveralProcesses() {
    write_toy_corpus(at("a"), at("b"), 60);
    fs::create_directories(at("bin"));
    fs::create_symlink(build_path("hexapla"), at("bin/hexapla"));
  }
  // Under a sanitizer, does not look for leaks, because parts of MPI are never freed.
  Ended shell(const std::string& command) const {
    const std::string all =
        cat("cd '", folder(), "' && export ASAN_OPTIONS=detect_leaks=0 OMP_WAIT_POLICY=passive PATH='", folder(),
            "/bin':\"$PATH\"; ( ", command, " ) > log 2>&1 < /dev/null");
    const int status = std::system(all.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(at("log"))};
  }
  bool has(const std::string& program) const { return shell("command -v " + program).code == 0; }

  // More options may follow; they override those of the file.
  std::string train(const std::string& run, const std::string& more) const {
    std::ofstream(at("options.yml"))
        << "layers: 1\ndim-model: 16\ndim-ff: 32\nheads: 2\nvocab-size: 60\nbatch-tokens: 60\naccumulate: 4\nshards: "
           "4\n"
           "warmup: 4\nmax-updates: 8\nema: 0.9\nvalid-every: 4\nsave-every: 4\nreport-every: 2\nshuffle-memory: 1\n"
           "average-last: 0\nprecision: f32\n";
    return cat("hexapla train -c '", at("options.yml"), "' --model ", run, " --train-sets a b --valid-sets a b ", more);
  }
  static std::string launch(int processes) {
    return cat("mpirun --allow-run-as-root --oversubscribe -n ", processes, " ");
  }
};

class OverMpi : public SeveralProcesses {
 protected:
  void SetUp() override {
    if (!has("mpirun")) GTEST_SKIP() << "no mpirun (scripts/install_dependencies.sh --mpi)";
    if (!fs::exists(build_path("hexapla_mpi.so"))) GTEST_SKIP() << "built without MPI";
  }
  static size_t times(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t i = text.find(part); i != text.npos; i = text.find(part, i + 1)) ++n;
    return n;
  }
};

TEST_F(OverMpi, TrainTheSameBytes) {
  for (const std::string precision : {"f32", "bf16"}) {
    const std::string how = "-q --precision " + precision + " --threads ", alone = precision + "-alone";
    const Ended whole = shell(train(alone, how + "2"));
    if (precision == "bf16" && whole.code == 2) GTEST_SKIP() << "no bf16 on this processor: " << whole.text;
    ASSERT_EQ(whole.code, 0) << whole.text;
    for (const auto& [processes, overlap] : {std::pair{2, "on"}, {3, "on"}, {3, "off"}}) {
      const std::string run = cat(precision, "-", processes, "-", overlap);
      const Ended r = shell(cat(launch(processes), train(run, cat(how, "1 --overlap ", overlap))));
      ASSERT_EQ(r.code, 0) << r.text;
      for (const char* file : {"/model.safetensors", "/checkpoints/update-00000008/tensors.safetensors"})
        EXPECT_TRUE(read_file(at(alone) + file) == read_file(at(run) + file)) << run << file;
    }
  }
}

TEST_F(OverMpi, SayOnceWhatIsWrong) {
  const Ended all = shell(launch(2) + train("wrong", "--threads 1 --lr -1"));
  EXPECT_EQ(all.code, 2) << all.text;
  const Ended shards = shell(launch(3) + train("few", "--threads 1 --shards 2"));
  EXPECT_EQ(shards.code, 2) << shards.text;
  EXPECT_THAT(shards.text, HasSubstr("there are 3 processes, but --shards is 2"));
  EXPECT_EQ(times(shards.text, "hexapla: error: "), 1u) << shards.text;
  const Ended one =
      shell(cat(launch(1), train("apart", "--threads 1"), " : -n 1 ", train("apart", "--threads 1 --seed 2")));
  EXPECT_EQ(one.code, 2) << one.text;
  EXPECT_THAT(one.text, HasSubstr("has another run than process 1 of 2"));
  EXPECT_THAT(one.text, HasSubstr("seed was 1, now it is 2"));
  EXPECT_EQ(times(one.text, "hexapla: error: "), 1u) << one.text;
}

TEST_F(OverMpi, AreWarnedOfThreadsBeyondTheirCores) {
  const Ended r = shell(cat("taskset -c 0 ", launch(2), "--bind-to none ", train("run", "--threads 3")));
  ASSERT_EQ(r.code, 0) << r.text;
  EXPECT_THAT(r.text, HasSubstr("has 3 threads, but the launcher has bound it to 1 core"));
}

TEST_F(OverMpi, WithOtherTextStopBeforeTheyTrain) {
  for (const char* host : {"one", "two"}) {
    fs::create_directories(at(host));
    write_toy_corpus(at(cat(host, "/a")), at(cat(host, "/b")), 60);
  }
  std::string text = read_file(at("two/b"));
  text[text.size() - 2] ^= 1;  // the same size, but one byte differs
  std::ofstream(at("two/b")) << text;
  const Ended r = shell(cat(launch(1), "-wdir '", at("one"), "' ", train("run", "--threads 1"), " : -n 1 -wdir '",
                            at("two"), "' ", train("run", "--threads 1")));
  EXPECT_EQ(r.code, 2) << r.text;
  EXPECT_THAT(r.text, HasSubstr("has another b than process 1 of 2"));
  EXPECT_THAT(r.text, HasSubstr("; put the same files on all hosts"));
  EXPECT_EQ(times(r.text, "hexapla: error: "), 1u) << r.text;
  EXPECT_FALSE(fs::exists(at("one/run/model.safetensors")));
}

// Changes only the compiler's name in the second program, which may be in its constants or within
// an instruction.
TEST_F(OverMpi, OfAnotherProgramStopBeforeTheyTrain) {
  std::string program = read_file(at("bin/hexapla"));
  constexpr std::string_view compilers[] = {"GNU ", "Clang "};
  size_t changed = 0;
  for (const std::string_view compiler : compilers)
    for (size_t i = program.find(compiler); i != program.npos; i = program.find(compiler, i + 1))
      if (std::isdigit(program[i + compiler.size()])) program[i] = 'X', ++changed;
  ASSERT_GT(changed, 0u);
  fs::create_symlink(build_path("hexapla_mpi.so"), at("bin/hexapla_mpi.so"));
  std::ofstream(at("bin/other"), std::ios::binary) << program;
  fs::permissions(at("bin/other"), fs::perms::owner_all);
  std::string others = train("run", "--threads 1");
  others.replace(0, std::string_view("hexapla").size(), "other");
  const Ended r = shell(cat(launch(1), train("run", "--threads 1"), " : -n 1 ", others));
  EXPECT_EQ(r.code, 2) << r.text;
  EXPECT_THAT(r.text, HasSubstr("has another program than process 1 of 2"));
  EXPECT_THAT(r.text, HasSubstr("; start the same program on all hosts"));
  EXPECT_EQ(times(r.text, "hexapla: error: "), 1u) << r.text;
}

// Only the second process's disk, which stores its pairs, is full.
TEST_F(OverMpi, EndWhereADiskIsFull) {
  write_toy_corpus(at("a"), at("b"), 30'000);
  const std::string small = train("run", "--threads 1");
  const Ended r = shell(cat(launch(1), small, " : -n 1 bash -c 'trap \"\" XFSZ; ulimit -f 4; exec ", small, "'"));
  EXPECT_EQ(r.code, 1) << r.text;
  EXPECT_THAT(r.text, HasSubstr("process 2 of 2 ("));
  EXPECT_THAT(r.text, HasSubstr("File too large"));
  EXPECT_EQ(times(r.text, "hexapla: error: "), 1u) << r.text;
}

// A launcher that passes no information to its processes starts several runs in one folder.
TEST_F(OverMpi, WithoutTheProtocolOfTheLauncherFindTheFolderTaken) {
  const Ended r = shell(launch(2) + "env -i PATH=\"$PATH\" " + train("run", "--threads 1 --max-updates 100000"));
  EXPECT_NE(r.code, 0) << r.text;
  EXPECT_THAT(r.text, HasSubstr("is in use by another run"));
  EXPECT_EQ(times(r.text, "hexapla: error: "), 1u) << r.text;
}

// Without the launcher's protocol each would train on everything.
TEST_F(SeveralProcesses, WithoutTheirMpiAreRefused) {
  const Ended r = shell("PMI_SIZE=4 PMI_RANK=1 " + train("run", "--threads 1"));
  EXPECT_EQ(r.code, 2) << r.text;
  EXPECT_THAT(r.text, HasSubstr("has started 4 processes"));
  EXPECT_FALSE(fs::exists(at("run")));
}

TEST_F(SeveralProcesses, NeedThePlugin) {
  fs::remove(at("bin/hexapla"));
  fs::copy_file(fs::canonical(build_path("hexapla")), at("bin/hexapla"));
  const Ended r = shell("OMPI_COMM_WORLD_SIZE=2 " + train("run", "--threads 1"));
  EXPECT_EQ(r.code, 2) << r.text;
  EXPECT_THAT(r.text, HasSubstr("started 2 processes, but hexapla_mpi.so, the MPI plugin, is not installed"));
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 hexapla --version").code, 0);
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 " + train("alone", "--threads 1")).code, 0) << "a launcher's only process";
  std::ofstream(at("bin/hexapla_mpi.so")) << "no plugin";
  EXPECT_THAT(shell("OMPI_COMM_WORLD_SIZE=2 " + train("run", "--threads 1")).text, HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace hexapla
