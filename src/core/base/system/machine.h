#pragma once
// The machine that a program runs on, and its build: recorded with every run.
#include <cstddef>
#include <string>

namespace hexapla {

struct Build {
  std::string version;   // "0.1.0"
  std::string commit;    // of the sources, "-dirty" if modified; "" if unknown at build time
  std::string compiler;  // "GNU 12.2.0"
  std::string type;      // "Release", with the sanitizers, if any
};
const Build& build();

std::string processor_name();  // "unknown" if the system does not say

size_t physical_memory();  // bytes
// Memory that this process may use, in bytes: physical memory, or less because of a control group
// (a container, a batch system) or limits of addresses and data (ulimit -v, ulimit -d).
size_t usable_memory();
// The limit that reduces usable_memory(), for messages: "ulimit -v", "ulimit -d", "a control
// group"; "": none.
std::string what_limits_memory();
// Physical memory used by this process, in bytes; 0 if the system does not say.
size_t resident_memory();
// Processors that this process may run on, or fewer if a control group limits its processor time;
// at least 1.
int usable_processors();

// Explains why the system refused to allocate `bytes`: the limit and how high it would have to be,
// as in "the limit of address space (ulimit -v) is 1048576 KiB, of which 204800 are taken; raise it
// to 2000000 or more"; without such a limit, how much memory this process may have. bytes: 0 if
// unknown. more: bytes needed in addition.
std::string why_memory_was_refused(size_t bytes, size_t more = 0);

}  // namespace hexapla
