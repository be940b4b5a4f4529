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
// What this process may have: physical memory, or less where a control group (a container, a batch system) or its own
// limits of addresses and data (ulimit -v, ulimit -d) say so.
size_t usable_memory();
// What makes it less than that, for messages: "ulimit -v", "ulimit -d", "a control group"; "": nothing does.
std::string what_limits_memory();
// Of this process in physical memory now, bytes; 0 where the system does not say.
size_t resident_memory();
// Processors that this process may run on, or fewer where a control group gives it less of their time; at least 1.
int usable_processors();

// What a message says where the system has just refused so many bytes: which limit it was and how high it would have to
// be, as "the limit of address space (ulimit -v) is 1048576 KiB, of which 204800 are taken; raise it to 2000000 or
// more"; without such a limit, how much memory there is. bytes: 0 where nobody knows. more: what will be wanted beside
// them.
std::string why_memory_was_refused(size_t bytes, size_t more = 0);

}  // namespace hexapla
