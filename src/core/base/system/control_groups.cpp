#include "base/system/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/classic.h"

namespace hexapla {
namespace {

bool lists(const std::string& names, const std::string& name) {
  Classic<std::istringstream> in(names);
  for (std::string one; std::getline(in, one, ',');)
    if (one == name) return true;
  return false;
}

// mountinfo escapes blanks, tabs, line ends and backslashes as \040 and the like.
std::string unescaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && text.find_first_not_of("01234567", i + 1) >= i + 4;
    out += escape ? static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8)) : text[i];
    if (escape) i += 3;
  }
  return out;
}

// A mounted hierarchy or part of one: `point` shows its group `root`.
struct Mount {
  std::string root, point;
};

// Mounts of the hierarchy with this controller; "": of version 2.
std::vector<Mount> mounts_of(const std::string& controller, const std::string& path) {
  std::vector<Mount> found;
  Classic<std::ifstream> in(path);
  for (std::string line;
       std::getline(in, line);) {  // 35 31 0:32 /root /point rw,relatime shared:1 - type source options
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    Classic<std::istringstream> before(line.substr(0, dash)), after(line.substr(dash + 3));
    std::string id, parent, device, root, point, type, source, options;
    before >> id >> parent >> device >> root >> point;
    after >> type >> source >> options;
    const bool right = controller.empty() ? type == "cgroup2" : type == "cgroup" && lists(options, controller);
    if (right && !point.empty()) found.push_back({unescaped(root), unescaped(point)});
  }
  return found;
}

// The path of the group below the mount point: "" for the mounted group itself, and for a group
// named from outside of a container, which sees its own group as the root.
std::string below(const Mount& mount, std::string group) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (group.compare(0, root.size(), root) != 0) return "";
  group.erase(0, root.size());
  while (!group.empty() && group.back() == '/') group.pop_back();
  const bool whole = group.empty() || group.front() == '/';
  return whole && group.find("/..") == std::string::npos ? group : "";
}

// The numbers at the start of a file, at most two; "max" and unreadable content count as none.
std::vector<double> numbers_in(const std::string& path) {
  Classic<std::ifstream> in(path);
  std::vector<double> all;
  for (double n = 0; all.size() < 2 && in >> n;) all.push_back(n);
  return all;
}

void lower(size_t& least, const std::string& path) {
  const std::vector<double> limit = numbers_in(path);
  if (limit.empty() || limit[0] < 0) return;
  constexpr double most = 1e18;  // version 1 writes 2^63 less a page for no limit
  if (limit[0] < most) least = std::min(least, static_cast<size_t>(limit[0]));
}

}  // namespace

std::vector<std::string> ControlGroups::folders(const std::string& controller) const {
  std::vector<std::string> all;
  Classic<std::ifstream> in(membership_);
  for (std::string line; std::getline(in, line);) {  // hierarchy:controllers:path
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? !controllers.empty() : !lists(controllers, controller)) continue;
    for (const Mount& mount : mounts_of(controller, mounts_)) {
      std::string group = below(mount, line.substr(second + 1));
      for (; !group.empty(); group.erase(group.rfind('/'))) all.push_back(mount.point + group);
      all.push_back(mount.point);
    }
  }
  return all;
}

size_t ControlGroups::memory_limit(size_t none) const {
  size_t least = none;
  for (const std::string& folder : folders("")) {
    lower(least, folder + "/memory.max");
    lower(least, folder + "/memory.high");  // beyond this, allocations are throttled
  }
  for (const std::string& folder : folders("memory")) lower(least, folder + "/memory.limit_in_bytes");
  return least;
}

double ControlGroups::processor_limit(double none) const {
  double least = none;
  const auto lower_to = [&](double quota, double period) {
    if (quota > 0 && period > 0) least = std::min(least, quota / period);
  };
  for (const std::string& folder : folders(""))
    if (const auto max = numbers_in(folder + "/cpu.max"); max.size() == 2) lower_to(max[0], max[1]);
  for (const std::string& folder : folders("cpu")) {
    const auto quota = numbers_in(folder + "/cpu.cfs_quota_us"), period = numbers_in(folder + "/cpu.cfs_period_us");
    if (!quota.empty() && !period.empty()) lower_to(quota[0], period[0]);
  }
  return least;
}

}  // namespace hexapla
