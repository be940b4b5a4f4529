#pragma once
// The machine that a program runs on, and the program itself: what a record of a run names.
#include <cstddef>
#include <string>

namespace hexapla {

struct Build {
  std::string version;   // "0.1.0"
  std::string commit;    // of the sources, "-dirty" where they were changed; "" where the build could not know
  std::string compiler;  // "GNU 12.2.0"
  std::string type;      // "Release", with the sanitizers if there are any
};
const Build& build();

std::string processor_name();  // "unknown" where the system does not say

size_t physical_memory();  // bytes
// What this process may have: physical memory, or less where a control group (a container, a batch system) limits it.
size_t usable_memory();

// The smallest memory limit of the control groups that `membership` (/proc/self/cgroup) lists, versions 1 and 2, and of
// those around them; `none` where there is no limit.
size_t cgroup_memory_limit(const std::string& membership, const std::string& mount, size_t none);

}  // namespace hexapla
