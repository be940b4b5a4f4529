#include "base/system/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>
#include <utility>

#include "base/classic.h"
#include "base/commit.h"  // made by cmake/commit.cmake
#include "base/error.h"
#include "base/system/control_groups.h"

namespace hexapla {
namespace {

// The soft limit; `none` if unlimited.
size_t own_limit(decltype(RLIMIT_AS) resource, size_t none) {
  rlimit limit{};
  const bool limited = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<size_t>(limit.rlim_cur) : none;
}

// Address space of this process, its own writable part, which `ulimit -d` counts, and its resident
// part, in bytes.
struct Mapped {
  size_t all = 0, data = 0, resident = 0;
};
Mapped mapped() {
  Classic<std::ifstream> in("/proc/self/statm");
  size_t all = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  if (!(in >> all >> resident >> shared >> text >> library >> data)) return {};
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return {all * page, data * page, resident * page};
}

// wanted: bytes needed beyond those taken; 0: unknown.
std::string limit_text(const char* what, const char* option, size_t limit, size_t taken, size_t wanted) {
  const std::string to = wanted == 0 ? "" : cat(" to ", (taken + wanted + 1023) >> 10, " or more");
  return cat("the limit of ", what, " (ulimit -", option, ") is ", limit >> 10, " KiB, of which ", taken >> 10,
             " are taken; raise it", to);
}

// The memory that this process may have, and what limits it.
std::pair<size_t, const char*> least_memory() {
  const size_t physical = physical_memory();
  return std::min<std::pair<size_t, const char*>>({{physical, ""},
                                                   {ControlGroups().memory_limit(physical), "a control group"},
                                                   {own_limit(RLIMIT_AS, physical), "ulimit -v"},
                                                   {own_limit(RLIMIT_DATA, physical), "ulimit -d"}},
                                                  [](auto& a, auto& b) { return a.first < b.first; });
}

}  // namespace

const Build& build() {
  static const Build the{HEXAPLA_VERSION, HEXAPLA_COMMIT, HEXAPLA_COMPILER, HEXAPLA_BUILD_TYPE};
  return the;
}

std::string processor_name() {
  Classic<std::ifstream> in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

size_t physical_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

size_t usable_memory() { return least_memory().first; }
std::string what_limits_memory() { return least_memory().second; }

size_t resident_memory() { return mapped().resident; }

int usable_processors() {
  cpu_set_t set;  // holds 1,024 processors; with more the call fails and all are counted
  int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
  if (n < 1) n = static_cast<int>(std::thread::hardware_concurrency());
  return std::max(1, static_cast<int>(std::min<double>(n, std::ceil(ControlGroups().processor_limit(n)))));
}

std::string why_memory_was_refused(size_t bytes, size_t more) {
  const Mapped now = mapped();
  const size_t none = SIZE_MAX, addresses = own_limit(RLIMIT_AS, none), data = own_limit(RLIMIT_DATA, none);
  if (addresses != none && (now.all + bytes > addresses || data == none))
    return limit_text("address space", "v", addresses, now.all, bytes > 0 ? bytes + more : 0);
  if (data != none) return limit_text("data", "d", data, now.data, bytes > 0 ? bytes + more : 0);
  return cat("this process may have ", usable_memory() >> 20, " MiB");
}

}  // namespace hexapla
