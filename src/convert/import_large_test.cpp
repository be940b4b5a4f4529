// A model with large tensors: the memory of an import, and what a full disk or a kill leaves.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/mapped/plain_safetensors.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {
namespace {

constexpr int64_t kInner = 1 << 20;  // of the feed-forward networks, so that their matrices are large
constexpr int64_t kMiB = 1 << 20;

// A model folder in safetensors with its map; all numbers are 16-bit zeros.
class LargeModel : public TestFolder {
 protected:
  LargeModel() {
    const std::string own = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");
    model::LoadedModel m = model::load_model(own);
    export_safetensors(m, at("large"));
    nlohmann::json map = nlohmann::json::parse(read_file(at("large/map.json")));
    model::Config config = m.config;
    config.d_ff = kInner;
    map["config"] = nlohmann::json::parse(config.to_json());
    write_file_atomically(at("large/map.json"), json_text(map));
    model::Transformer net(config);
    std::vector<TensorSource> tensors;
    model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
      largest_ = std::max(largest_, p.shape.size() * 2);
      tensors.push_back({name, DType::f16, p.shape, [n = p.shape.size()](const auto& take) {
                           take(std::vector<uint16_t>(static_cast<size_t>(n)).data());
                         }});
    });
    write_safetensors(at("large/model.safetensors"), tensors, {{"format", "pt"}});
  }

  // Starts the program and returns its process id.
  pid_t begin(const std::string& output, rlim_t most_bytes = RLIM_INFINITY) const {
    const std::string program = build_path("hexapla"), from = at("large"), errors = at("errors");
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{most_bytes, most_bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      std::signal(SIGXFSZ, SIG_IGN);
      const int to = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(to, STDERR_FILENO);
      execl(program.c_str(), "hexapla", "import", from.c_str(), "-o", output.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  static int wait_for(pid_t child, rusage& used) {
    int status = 0;
    wait4(child, &status, 0, &used);
    return status;
  }

  int64_t largest_ = 0;  // bytes of the largest tensor
};

TEST_F(LargeModel, IsImportedInLessMemoryThanTwiceItsLargestTensor) {
  ASSERT_GT(largest_, 30 * kMiB);
  rusage used{};
  ASSERT_EQ(wait_for(begin(at("out")), used), 0) << read_file(at("errors"));
  const int64_t peak = used.ru_maxrss * 1024;
  std::printf("%ld MiB at most; the largest tensor has %ld\n", long(peak / kMiB), long(largest_ / kMiB));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(peak, 2 * largest_ + 20 * kMiB);
#endif
  const auto file = SafetensorsFile::open(at("out"));
  EXPECT_EQ(file.get("encoder.layers.0.feed_forward.inner.weight").dtype, DType::f16);
}

TEST_F(LargeModel, AFullDiskLeavesNothing) {
  rusage used{};
  EXPECT_NE(wait_for(begin(at("out"), static_cast<rlim_t>(largest_)), used), 0);
  EXPECT_THAT(read_file(at("errors")), testing::HasSubstr("cannot write"));
  EXPECT_EQ(entries(), 2u) << "large, errors";
}

TEST_F(LargeModel, AKillLeavesNothingThatLooksWhole) {
  const pid_t child = begin(at("out"));
  for (int i = 0; i < 2000 && entries() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);  // before, during or after writing
  rusage used{};
  if (wait_for(child, used) == 0) GTEST_SKIP() << "it was too fast to be killed";
  EXPECT_FALSE(std::filesystem::exists(at("out")));
}

}  // namespace
}  // namespace hexapla::convert
