#pragma once
// What the control groups of a process (of a container, of a job in a batch system) leave to it. Versions 1 and 2, one
// beside the other, too; the limits of all groups around its own count as far as they can be seen from here.
#include <cstddef>
#include <string>
#include <vector>

namespace hexapla {

class ControlGroups {
 public:
  // membership: of the process, as in proc(5)'s cgroup; mounts: where the hierarchies are, as in its mountinfo.
  explicit ControlGroups(std::string membership = "/proc/self/cgroup", std::string mounts = "/proc/self/mountinfo")
      : membership_(std::move(membership)), mounts_(std::move(mounts)) {}

  // bytes; `none` where nothing is limited.
  size_t memory_limit(size_t none) const;
  // How many processors' time it may have, 1.5 say; `none` where that is not limited. Which processors it may run on
  // (cpuset) the system knows: see usable_processors().
  double processor_limit(double none) const;

 private:
  // The folders of its group and of those around it. controller: "" for version 2, which has them all in one hierarchy.
  std::vector<std::string> folders(const std::string& controller) const;

  std::string membership_, mounts_;
};

}  // namespace hexapla
