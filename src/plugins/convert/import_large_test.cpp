// A model with large tensors: the memory that import, info and quantize take, and what a full disk or
// a kill leaves.
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
  pid_t begin(const std::vector<std::string>& arguments, rlim_t most_bytes = RLIM_INFINITY) const {
    const std::string program = build_path("hexapla"), errors = at("errors");
    std::vector<char*> words{const_cast<char*>("hexapla")};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const rlimit limit{most_bytes, most_bytes};
      setrlimit(RLIMIT_FSIZE, &limit);
      std::signal(SIGXFSZ, SIG_IGN);
      const int to = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(to, STDERR_FILENO);
      if (words[1] == std::string("info")) dup2(to, STDOUT_FILENO);
      execv(program.c_str(), words.data());
      _exit(127);
    }
    return child;
  }
  pid_t begin_import(rlim_t most_bytes = RLIM_INFINITY) const {
    return begin({"import", at("large"), "-o", at("out")}, most_bytes);
  }
  static int wait_for(pid_t child, rusage& used) {
    int status = 0;
    wait4(child, &status, 0, &used);
    return status;
  }
  // Bytes that the program takes at most.
  int64_t peak(const std::vector<std::string>& arguments) const {
    rusage used{};
    EXPECT_EQ(wait_for(begin(arguments), used), 0) << read_file(at("errors"));
    const int64_t bytes = used.ru_maxrss * 1024;
    std::printf("%s: %ld MiB at most; the largest tensor has %ld\n", arguments[0].c_str(), long(bytes / kMiB),
                long(largest_ / kMiB));
    return bytes;
  }

  int64_t largest_ = 0;  // bytes of the largest tensor
};

TEST_F(LargeModel, IsImportedInLessMemoryThanTwiceItsLargestTensor) {
  ASSERT_GT(largest_, 30 * kMiB);
  [[maybe_unused]] const int64_t most = peak({"import", at("large"), "-o", at("out")});
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(most, 2 * largest_ + 20 * kMiB);
#endif
  const auto file = SafetensorsFile::open(at("out"));
  EXPECT_EQ(file.get("encoder.layers.0.feed_forward.inner.weight").dtype, DType::f16);
}

// A matrix is quantized by columns: its numbers are in memory in f32, which is twice what the file has, as integers
// twice, and as pages of the file. All of them in f32 would be twice the file.
TEST_F(LargeModel, IsShownAndQuantizedTensorByTensor) {
  peak({"import", at("large"), "-o", at("out")});
  [[maybe_unused]] const int64_t shown = peak({"info", "-m", at("out")});
  [[maybe_unused]] const int64_t quantized = peak({"quantize", "-m", at("out"), "-o", at("q"), "-q"});
  const auto all = static_cast<int64_t>(std::filesystem::file_size(at("out")));
  ASSERT_GT(all, 4 * largest_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(shown, largest_ + 20 * kMiB);
  EXPECT_LT(quantized, 4 * largest_ + 20 * kMiB);
#endif
  EXPECT_LT(std::filesystem::file_size(at("q")), static_cast<size_t>(all) * 2 / 3);
}

TEST_F(LargeModel, AFullDiskLeavesNothing) {
  rusage used{};
  EXPECT_NE(wait_for(begin_import(static_cast<rlim_t>(largest_)), used), 0);
  EXPECT_THAT(read_file(at("errors")), testing::HasSubstr("cannot write"));
  EXPECT_EQ(entries(), 2u) << "large, errors";
}

TEST_F(LargeModel, AKillLeavesNothingThatLooksWhole) {
  const pid_t child = begin_import();
  for (int i = 0; i < 2000 && entries() < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGKILL);  // before, during or after writing
  rusage used{};
  if (wait_for(child, used) == 0) GTEST_SKIP() << "it was too fast to be killed";
  EXPECT_FALSE(std::filesystem::exists(at("out")));
}

}  // namespace
}  // namespace hexapla::convert
