#pragma once
// Limits of a process's control groups (of a container or a batch job). Supports versions 1 and 2,
// also mixed. The limits of all enclosing groups count, as far as they are visible from here.
#include <cstddef>
#include <string>
#include <vector>

namespace hexapla {

class ControlGroups {
 public:
  // membership: as in /proc/self/cgroup; mounts: as in /proc/self/mountinfo (proc(5)).
  explicit ControlGroups(std::string membership = "/proc/self/cgroup", std::string mounts = "/proc/self/mountinfo")
      : membership_(std::move(membership)), mounts_(std::move(mounts)) {}

  // In bytes; `none` if there is no limit.
  size_t memory_limit(size_t none) const;
  // The number of processors, for example 1.5; `none` if there is no limit. Which processors it may
  // run on (cpuset) is part of usable_processors().
  double processor_limit(double none) const;

 private:
  // The folders of its group and all enclosing groups. controller: "" for version 2, which has a
  // single hierarchy.
  std::vector<std::string> folders(const std::string& controller) const;

  std::string membership_, mounts_;
};

}  // namespace hexapla
