#include "base/system/control_groups.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/files/test_folder.h"
#include "base/system/machine.h"
#include "base/system/test_control_group.h"

namespace hexapla {
namespace {

// Folders stand in for the hierarchies, files for /proc/self/cgroup and mountinfo.
class Groups : public TestFolder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  void belongs_to(const std::string& membership) const { write("membership", membership); }
  // Adds a line of mountinfo: group `root` of a hierarchy is mounted at the folder `point`.
  void mount(const std::string& point, const std::string& type, const std::string& options,
             const std::string& root = "/") const {
    std::ofstream(at("mounts"), std::ios::app)
        << "35 31 0:32 " << root << " " << at(point) << " rw,relatime shared:4 - " << type << " " << type << " "
        << options << "\n";
  }
  ControlGroups groups() const { return ControlGroups(at("membership"), at("mounts")); }
  size_t memory() const { return groups().memory_limit(999); }
  double processors() const { return groups().processor_limit(64); }
};

TEST_F(Groups, WithoutAnyThereIsNoLimit) {
  EXPECT_EQ(memory(), 999u);
  EXPECT_EQ(processors(), 64);
  belongs_to("0::/jobs\n");  // its hierarchy is not mounted
  EXPECT_EQ(memory(), 999u);
}

TEST_F(Groups, VersionTwoCountsEveryGroupAround) {
  belongs_to("0::/jobs/mine\n");
  mount("fs", "cgroup2", "rw,nsdelegate");
  write("fs/jobs/mine/memory.max", "max\n");
  EXPECT_EQ(memory(), 999u);
  write("fs/jobs/memory.max", "500\n");
  EXPECT_EQ(memory(), 500u);
  write("fs/jobs/mine/memory.max", "400\n");
  EXPECT_EQ(memory(), 400u);
  write("fs/jobs/mine/memory.high", "300\n");
  EXPECT_EQ(memory(), 300u);
}

// As in Docker: in its own namespace, the container sees its group as the root.
TEST_F(Groups, VersionTwoInAContainer) {
  belongs_to("0::/\n");
  mount("fs", "cgroup2", "rw");
  write("fs/memory.max", "600\n");
  write("fs/memory.swap.max", "100\n");  // swap does not count
  EXPECT_EQ(memory(), 600u);
  belongs_to("0::/../../other\n");  // moved out of its namespace
  EXPECT_EQ(memory(), 600u);
}

TEST_F(Groups, VersionOneHasAHierarchyForMemory) {
  belongs_to("9:name=systemd:/\n4:cpu,memory:/a\n0::/\nbroken line\n");
  mount("all", "cgroup", "rw,cpu,memory");
  mount("systemd", "cgroup", "rw,name=systemd");
  write("all/memory.limit_in_bytes", "9223372036854771712\n");  // the kernel's value for no limit
  EXPECT_EQ(memory(), 999u);
  write("all/a/memory.limit_in_bytes", "123\n");
  EXPECT_EQ(memory(), 123u);
}

// Without a namespace, the membership names the path outside of the container, which does not exist
// inside.
TEST_F(Groups, VersionOneInAContainer) {
  belongs_to("4:memory:/docker/0123\n");
  mount("memory", "cgroup", "rw,memory", "/docker/0123");
  write("memory/memory.limit_in_bytes", "77\n");
  EXPECT_EQ(memory(), 77u);
  belongs_to("4:memory:/docker/0123/inner\n");  // a group that the container made below its own
  write("memory/inner/memory.limit_in_bytes", "55\n");
  EXPECT_EQ(memory(), 55u);
  belongs_to("4:memory:/docker/01234\n");  // another container's group
  EXPECT_EQ(memory(), 77u);
}

TEST_F(Groups, BothVersionsBesideEachOther) {
  belongs_to("4:memory:/a\n3:cpuset:/a\n0::/b\n");
  mount("one", "cgroup", "rw,memory");
  mount("two", "cgroup2", "rw");
  write("one/a/memory.limit_in_bytes", "300\n");
  write("two/b/memory.max", "200\n");
  EXPECT_EQ(memory(), 200u);
  write("one/memory.limit_in_bytes", "100\n");
  EXPECT_EQ(memory(), 100u);
}

TEST_F(Groups, NamesWithBlanksAndFilesWithoutNumbers) {
  belongs_to("0::/my job\n");
  std::filesystem::create_directories(at("a b"));
  mount("a\\040b", "cgroup2", "rw");
  write("a b/my job/memory.max", "321\n");
  write("a b/memory.max", "");
  EXPECT_EQ(memory(), 321u);
  write("a b/my job/memory.max", "many\n");
  EXPECT_EQ(memory(), 999u);
}

TEST_F(Groups, ProcessorsOfVersionTwo) {
  belongs_to("0::/a\n");
  mount("fs", "cgroup2", "rw");
  write("fs/a/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), 64);
  write("fs/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(processors(), 1.5);
  write("fs/cpu.max", "50000 100000\n");
  EXPECT_EQ(processors(), 0.5);
}

TEST_F(Groups, ProcessorsOfVersionOne) {
  belongs_to("2:cpu,cpuacct:/a\n");
  mount("cpu", "cgroup", "rw,cpu,cpuacct");
  write("cpu/a/cpu.cfs_quota_us", "-1\n");
  write("cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), 64);
  write("cpu/a/cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(processors(), 3);
}

// f() in a child process that belongs to the group.
template <class F>
bool holds_in(const TestControlGroup& group, F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    group.join();
    std::_Exit(f() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST(RealGroup, LimitsWhatIsUsable) {
  const TestControlGroup group("memory");
  if (!group) GTEST_SKIP() << "no group of version 1 can be made here for the controller memory";
  const size_t limit = usable_memory() / 2 >> 20 << 20;
  ASSERT_TRUE(group.set("memory.limit_in_bytes", limit));
  EXPECT_TRUE(holds_in(group, [&] { return usable_memory() == limit && what_limits_memory() == "a control group"; }));
}

TEST(RealGroup, LimitsThreads) {
  const TestControlGroup group("cpu");
  if (!group) GTEST_SKIP() << "no group of version 1 can be made here for the controller cpu";
  if (!group.set("cpu.cfs_period_us", 100'000) || !group.set("cpu.cfs_quota_us", 70'000))
    GTEST_SKIP() << "this system has no quotas of processor time";
  EXPECT_TRUE(holds_in(group, [] { return usable_processors() == 1; }));
}

}  // namespace
}  // namespace hexapla
