#include "base/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/commit.h"  // made by cmake/commit.cmake

namespace hexapla {
namespace {

// The limit that a file holds; "max" and what cannot be read is none.
size_t limit_in(const std::string& path, size_t none) {
  std::ifstream in(path);
  size_t bytes = 0;
  return in >> bytes ? bytes : none;
}

// group: "/a/b". Looks at mount/a/b/file, mount/a/file, mount/file: every one of them counts.
size_t limit_of_group(std::string group, const std::string& mount, const std::string& file, size_t none) {
  size_t least = none;
  while (true) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    least = std::min(least, limit_in(mount + group + "/" + file, none));
    if (group.empty()) return least;
    group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

bool lists_memory(const std::string& controllers) {
  std::istringstream in(controllers);
  for (std::string name; std::getline(in, name, ',');)
    if (name == "memory") return true;
  return false;
}

}  // namespace

const Build& build() {
  static const Build the{HEXAPLA_VERSION, HEXAPLA_COMMIT, HEXAPLA_COMPILER, HEXAPLA_BUILD_TYPE};
  return the;
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

size_t physical_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t usable_memory() {
  return std::min(physical_memory(), cgroup_memory_limit("/proc/self/cgroup", "/sys/fs/cgroup", physical_memory()));
}

size_t cgroup_memory_limit(const std::string& membership, const std::string& mount, size_t none) {
  size_t least = none;
  std::ifstream in(membership);
  for (std::string line; std::getline(in, line);) {  // hierarchy:controllers:path
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) least = std::min(least, limit_of_group(group, mount, "memory.max", none));
    if (lists_memory(controllers))
      least = std::min(least, limit_of_group(group, mount + "/memory", "memory.limit_in_bytes", none));
  }
  return least;
}

}  // namespace hexapla
