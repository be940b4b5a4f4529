// Cluster engines translate a file in parts, as in examples/cluster. Those not installed are
// skipped with the reason; src/apps/cli/tests/shards_test.cpp tests the same without them.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/options/environment.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

using testing::HasSubstr;

struct Done {
  int code;
  std::string text;  // stdout and stderr
};

class Recipes : public TestFolder {
 protected:
  Done shell(const std::string& command) const {
    const int status = std::system(
        cat("cd '", folder(), "' && export OMP_WAIT_POLICY=passive; ( ", command, " ) > log 2>&1 < /dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(at("log"))};
  }
  // One of its workers is killed midway.
  void expect_the_whole(const std::string& engine) const {
    const std::string lines = environment("HEXAPLA_LONG_TESTS") ? "100000" : "300";
    const std::string after = environment("HEXAPLA_LONG_TESTS") ? "0.5" : "0";
    const Done r = shell(cat("KILL_AFTER=", after, " '", source_path("scripts/recipes.sh"), "' '",
                             build_path("hexapla"), "' recipes ", lines, " ", engine));
    if (r.code == 77) GTEST_SKIP() << r.text;
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_THAT(r.text, HasSubstr(engine + ": one worker was killed, and the bytes"));
  }
  std::string train() const {
    write_toy_corpus(at("a"), at("b"), 60);
    return cat(
        "'", build_path("hexapla"),
        "' train --model model --train-sets a b --layers 1 --dim-model 16 --dim-ff 32 --heads 2 --vocab-size 60 ",
        "--batch-tokens 60 --warmup 4 --max-updates 4 --average-last 0 --precision f32 --threads 1 -q");
  }
};

TEST_F(Recipes, OfGnuParallelGiveTheWhole) { expect_the_whole("parallel"); }
TEST_F(Recipes, OfSlurmGiveTheWhole) { expect_the_whole("slurm"); }
TEST_F(Recipes, OfSparkGiveTheWhole) { expect_the_whole("spark"); }
TEST_F(Recipes, OfDaskGiveTheWhole) { expect_the_whole("dask"); }

// Like Slurm, runs array tasks one after another; the second one was killed and is submitted again.
TEST_F(Recipes, OfSlurmDoWhatIsMissing) {
  ASSERT_EQ(shell(train()).code, 0) << read_file(at("log"));
  const std::string path = cat("PATH=\"$(dirname '", build_path("hexapla"), "'):$PATH\" ");
  ASSERT_EQ(shell(path + "hexapla translate -q -m model --input a > whole").code, 0);
  const auto task = [&](int i) {
    return shell(cat(path, "SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_ID=", i, " bash '",
                     source_path("examples/cluster/slurm.sh"), "' model a out"));
  };
  for (const int i : {1, 3}) ASSERT_EQ(task(i).code, 0);
  const Done early = shell(path + "hexapla join out.part-1 out.part-3 -o joined");
  EXPECT_EQ(early.code, 3);
  EXPECT_THAT(early.text, HasSubstr("of 3 parts these are missing: 2"));
  for (const int i : {1, 2, 3}) ASSERT_EQ(task(i).code, 0);
  const Done r = shell(path + "hexapla join out.part-1 out.part-2 out.part-3 -o joined");
  ASSERT_EQ(r.code, 0) << r.text;
  EXPECT_EQ(read_file(at("joined")), read_file(at("whole")));
}

// Peak resident memory, measured by a small process because a parent's memory would count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers keep freed memory
TEST_F(Recipes, TakeNoMoreMemoryForALargerFile) {
  if (shell("python3 -c 'import resource'").code != 0) GTEST_SKIP() << "no python3, which measures";
  ASSERT_EQ(shell(train()).code, 0) << read_file(at("log"));
  ASSERT_EQ(shell("yes '' | head -n 500000 | sed '1~1000s/^/a b c d/' > large; head -n 4000 large > small; "
                  "xz -k --block-size=65536 large")
                .code,
            0);
  const auto kibibytes = [&](const std::string& input) {
    const Done r =
        shell(cat("python3 -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' '",
                  build_path("hexapla"), "' translate -q -m model --threads 1 --input ", input));
    EXPECT_EQ(r.code, 0) << r.text;
    return std::stol("0" + r.text);
  };
  const long small = kibibytes("small --shard 1/1 --output a.out");
  EXPECT_GT(small, 0);
  EXPECT_LT(kibibytes("large --shard 1/1 --output b.out"), small + 8192) << "125 times as many lines";
  EXPECT_LT(kibibytes("large.xz --shard 124/125 --output c.out"), small + 16384) << "xz takes 8 MiB to unpack";
}
#endif

}  // namespace
}  // namespace hexapla
