#pragma once
// For tests: a new control group of version 1, if the system permits it.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"

namespace hexapla {

class TestControlGroup {
 public:
  // Below this process's own group, in the hierarchy of that controller only.
  explicit TestControlGroup(const std::string& controller) {
    std::ifstream membership("/proc/self/cgroup");
    for (std::string line; std::getline(membership, line);) {
      const size_t at = line.find(":" + controller + ":");
      if (at == std::string::npos) continue;
      const std::string group = line.substr(at + controller.size() + 2);
      const std::string folder = cat("/sys/fs/cgroup/", controller, group, "/hexapla_test_", getpid());
      std::error_code error;
      if (std::filesystem::create_directory(folder, error) && !error) folder_ = folder;
      return;
    }
  }
  ~TestControlGroup() {
    std::error_code error;
    if (!folder_.empty()) std::filesystem::remove(folder_, error);
  }
  TestControlGroup(const TestControlGroup&) = delete;

  explicit operator bool() const { return !folder_.empty(); }
  bool set(const std::string& file, size_t value) const {
    return static_cast<bool>(std::ofstream(folder_ + "/" + file) << cat(value) << std::flush);
  }
  std::string members() const { return folder_ + "/cgroup.procs"; }
  void join() const { set("cgroup.procs", static_cast<size_t>(getpid())); }

 private:
  std::string folder_;
};

}  // namespace hexapla
