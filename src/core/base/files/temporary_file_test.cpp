#include "base/files/temporary_file.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "base/files/varint.h"

namespace hexapla {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using TemporaryFileTest = TestFolder;

TEST_F(TemporaryFileTest, GivesBackWhatWasAppended) {
  TemporaryFile file(at("new/folder"));
  EXPECT_EQ(file.append("abc"), 0u);
  EXPECT_EQ(file.append("defg"), 3u);
  EXPECT_EQ(file.size(), 7u);
  std::string bytes;
  file.read(2, 3, bytes);
  EXPECT_EQ(bytes, "cde");
  EXPECT_THROW(file.read(5, 3, bytes), InternalError);
}

TEST_F(TemporaryFileTest, HasNoName) {
  TemporaryFile file(folder());
  file.append("abc");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(TemporaryFileTest, AFullDiskIsOneClearError) {
  TemporaryFile file(folder());
  const FileSizeLimit limit(1000);
  EXPECT_THAT(what_of<RunError>([&] { file.append(std::string(5000, 'x')); }),
              AllOf(HasSubstr("cannot write a temporary file in " + folder()), HasSubstr("`temp-dir`")));
}

TEST_F(TemporaryFileTest, AFolderThatCannotBeIsOneClearError) {
  EXPECT_THAT(what_of<RunError>([&] { TemporaryFile("/proc/none"); }),
              AllOf(HasSubstr("cannot create a temporary file in /proc/none"), HasSubstr("`temp-dir`")));
}

TEST(Varint, GivesBackEveryNumber) {
  std::string bytes;
  const std::vector<uint64_t> numbers{0, 1, 127, 128, 16383, 16384, uint64_t{1} << 40, ~uint64_t{0}};
  for (const uint64_t n : numbers) put_varint(bytes, n);
  std::string_view left = bytes;
  for (const uint64_t n : numbers) EXPECT_EQ(take_varint(left), n);
  EXPECT_TRUE(left.empty());
  EXPECT_THROW(take_varint(left), InternalError);
  left = "\x80";
  EXPECT_THROW(take_varint(left), InternalError);
}

}  // namespace
}  // namespace hexapla
