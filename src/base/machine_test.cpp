#include "base/machine.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/test_folder.h"

namespace hexapla {
namespace {

TEST(Machine, KnowsItself) {
  EXPECT_GT(physical_memory(), size_t{1} << 26);
  EXPECT_LE(usable_memory(), physical_memory());
  EXPECT_GT(usable_memory(), 0u);
  EXPECT_FALSE(processor_name().empty());
  EXPECT_THAT(build().version, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(build().compiler, testing::ContainsRegex("[0-9]"));
  EXPECT_THAT(build().commit, testing::MatchesRegex("([0-9a-f]+(-dirty)?)?"));
}

class ControlGroups : public TestFolder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  size_t limit() const { return cgroup_memory_limit(at("membership"), folder(), 999); }
};

TEST_F(ControlGroups, WithoutAnyThereIsNoLimit) { EXPECT_EQ(limit(), 999u); }

TEST_F(ControlGroups, VersionTwoCountsEveryGroupAround) {
  write("membership", "0::/jobs/mine\n");
  write("jobs/mine/memory.max", "max\n");
  EXPECT_EQ(limit(), 999u);
  write("jobs/memory.max", "500\n");
  EXPECT_EQ(limit(), 500u);
  write("jobs/mine/memory.max", "400\n");
  EXPECT_EQ(limit(), 400u);
}

TEST_F(ControlGroups, VersionOneHasAHierarchyForMemory) {
  write("membership", "9:name=systemd:/\n4:cpu,memory:/a\n0::/\nbroken line\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("memory/a/memory.limit_in_bytes", "123\n");
  EXPECT_EQ(limit(), 123u);
}

// A container sees its own group as the root, while its membership names the path outside.
TEST_F(ControlGroups, AGroupThatIsNotMountedLeavesTheRoots) {
  write("membership", "4:memory:/docker/0123\n");
  write("memory/memory.limit_in_bytes", "77\n");
  EXPECT_EQ(limit(), 77u);
}

}  // namespace
}  // namespace hexapla
