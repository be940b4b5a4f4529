#include "convert/parsing/zip_archive.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "convert/containers/test_containers.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ZipArchiveTest : public TestFolder {
 protected:
  std::string write(const std::string& bytes) const {
    write_file_atomically(at("x.zip"), bytes);
    return at("x.zip");
  }
  std::string refusal(const std::string& bytes) const {
    return what_of<DataError>([&] { ZipArchive archive(write(bytes)); });
  }
};

TEST_F(ZipArchiveTest, ReadsStoredAndDeflatedEntries) {
  const std::string repeated(5000, 'a');
  for (const bool zip64 : {false, true}) {
    const ZipArchive archive(write(zip({{.name = "b/stored", .content = "Hexapla", .zip64 = zip64},
                                        {.name = "a", .content = repeated, .deflate = true, .zip64 = zip64},
                                        {.name = "empty", .content = ""}},
                                       zip64)));
    ASSERT_EQ(archive.entries().size(), 3u);
    EXPECT_EQ(archive.entries()[0].name, "a");
    EXPECT_EQ(archive.text(*archive.find("b/stored"), 100), "Hexapla");
    EXPECT_EQ(archive.text(*archive.find("a"), 5000), repeated);
    EXPECT_EQ(archive.text(*archive.find("empty"), 0), "");
    EXPECT_EQ(archive.find("stored"), nullptr);
    char part[3];
    archive.read(*archive.find("b/stored"), 2, part, 3);
    EXPECT_EQ(std::string(part, 3), "xap");
    EXPECT_THAT(what_of<DataError>([&] { archive.text(*archive.find("a"), 4999); }), HasSubstr("allowed are 4999"));
  }
}

TEST_F(ZipArchiveTest, ACommentMayFollow) {
  std::string bytes = zip({{.name = "a", .content = "1"}});
  bytes.replace(bytes.size() - 2, 2, le<uint16_t>(4) + "note");
  EXPECT_EQ(ZipArchive(write(bytes)).entries().size(), 1u);
}

TEST_F(ZipArchiveTest, RefusesWhatItDoesNotRead) {
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "1", .flags = 1}})),
              AllOf(HasSubstr("x.zip"), HasSubstr("'a' is encrypted")));
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "1", .method = 12}})), HasSubstr("packed by method 12"));
  EXPECT_THAT(refusal("PK\3\4 and nothing else"), HasSubstr("list of entries is missing"));
  EXPECT_THAT(refusal(""), HasSubstr("list of entries is missing"));
}

TEST_F(ZipArchiveTest, RefusesWhatContradictsItself) {
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "1"}, {.name = "a", .content = "2"}})),
              HasSubstr("'a' is there twice"));
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "1", .local_name = "b"}})), HasSubstr("is not the entry 'a'"));
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "1", .claimed = 1 << 30}})),
              HasSubstr("beyond the end of the data"));
  EXPECT_THAT(refusal(zip({{.name = "a", .content = "12345678", .claimed = 60},
                           {.name = "b", .content = std::string(90, ' ')}})),
              HasSubstr("overlap"));
  const std::string honest = zip({{.name = "a", .content = "1"}});
  for (size_t size = 4; size < honest.size(); ++size)
    EXPECT_THAT(refusal(honest.substr(0, size)), HasSubstr("x.zip")) << size;
}

TEST_F(ZipArchiveTest, ChecksumsAreCompared) {
  const ZipArchive archive(
      write(zip({{.name = "a", .content = "1", .crc = 7}, {.name = "b", .content = "1", .crc = 0}})));
  EXPECT_THAT(what_of<DataError>([&] { archive.text(*archive.find("a"), 9); }),
              HasSubstr("its checksum is another one"));
  EXPECT_EQ(archive.text(*archive.find("b"), 9), "1");
}

// Entries that inflate beyond the limits or beyond their declared size are rejected.
TEST_F(ZipArchiveTest, ABombIsNotUnpacked) {
  const ZipArchive archive(
      write(zip({{.name = "a", .content = std::string(size_t{8} << 20, '\0'), .deflate = true},
                 {.name = "more", .content = std::string(50'000, '\0'), .deflate = true, .claimed = 10},
                 {.name = "less", .content = "12", .deflate = true, .claimed = 10}})));
  EXPECT_THAT(what_of<DataError>([&] { archive.text(*archive.find("a"), limits::kText); }), HasSubstr("200 times"));
  for (const char* name : {"more", "less"})
    EXPECT_THAT(what_of<DataError>([&] { archive.text(*archive.find(name), 100); }),
                HasSubstr("its size is another one"));
}

}  // namespace
}  // namespace hexapla::convert
