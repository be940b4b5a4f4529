#pragma once
// For tests that write files: a folder that is removed after the test, messages of errors, disks
// that fill up.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace hexapla {

class TestFolder : public testing::Test {
 protected:
  TestFolder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              cat("hexapla_", info->test_suite_name(), "_", info->name(), "_", getpid());
    std::filesystem::create_directories(folder_);
  }
  ~TestFolder() override { std::filesystem::remove_all(folder_); }
  std::string folder() const { return folder_.string(); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  // The number of files and folders in the folder.
  size_t entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::filesystem::path folder_;
};

// The message of the error of this kind that call() throws.
template <class Kind, class Call>
std::string what_of(Call&& call) {
  try {
    call();
  } catch (const Kind& e) {
    return e.what();
  }
  return "(no such error was thrown)";
}

// During its lifetime, writes beyond `bytes` fail with EFBIG, as they fail with ENOSPC on a full
// disk: in the middle of a write.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

}  // namespace hexapla
