// Untrusted archives are read within limits, and members that are not replaced stay as they are.
#include "documents/office/archive/archive.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "documents/office/test_office.h"

namespace hexapla::text::document {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of_archive(const std::string& archive, const std::string& member, const ArchiveLimits& limits = {}) {
  try {
    Archive(archive, limits).read(member);
  } catch (const DataError& e) {
    return e.what();
  }
  return "none";
}

using Stat = std::tuple<std::string, zip_uint16_t, time_t>;  // name, method, time

std::vector<Stat> stats(const std::string& archive) {
  std::vector<Stat> all;
  zip_source_t* const source = zip_source_buffer_create(archive.data(), archive.size(), 0, nullptr);
  zip_t* const zip = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(zip_get_num_entries(zip, 0)); ++i) {
    zip_stat_t stat;
    zip_stat_index(zip, i, 0, &stat);
    all.push_back({stat.name, stat.comp_method, stat.mtime});
  }
  zip_discard(zip);
  return all;
}

const std::string long_text(5000, 'x');

TEST(Archive, ReadsMembers) {
  const std::string archive = archive_of({{"mimetype", "a/b", true}, {"x/y.xml", long_text}, {"é.txt", ""}});
  const Archive read(archive);
  EXPECT_THAT(read.names(), ElementsAre("mimetype", "x/y.xml", "é.txt"));
  EXPECT_EQ(read.read("mimetype"), "a/b");
  EXPECT_EQ(read.read("x/y.xml"), long_text);
  EXPECT_EQ(read.read("é.txt"), "");
  EXPECT_FALSE(read.has("y.xml"));
  EXPECT_THAT(error_of_archive(archive, "y.xml"), HasSubstr("no part y.xml"));
}

TEST(Archive, WhatIsNotReplacedStays) {
  const std::string archive = archive_of({{"mimetype", "a/b", true}, {"a", long_text}, {"b", "old"}, {"c", "cc"}});
  const std::string b = "new 狗" + long_text;  // libzip 1.11 stores what it cannot make shorter
  const std::string changed = with_members(archive, {{"b", b}, {"mimetype", "c/d"}});
  EXPECT_EQ(stats(changed), stats(archive)) << "names, order, methods, dates";
  EXPECT_EQ(part_of(changed, "b"), b);
  EXPECT_EQ(part_of(changed, "mimetype"), "c/d");
  EXPECT_EQ(part_of(changed, "a"), long_text);
  EXPECT_EQ(with_members(archive, {{"b", b}, {"mimetype", "c/d"}}), changed) << "the same at any time";
  EXPECT_EQ(part_of(with_members(archive, {}), "c"), "cc");
  EXPECT_EQ(part_of(with_members(archive, {{"b", "new 狗"}}), "b"), "new 狗");
}

TEST(Archive, RefusesWhatIsTooLarge) {
  const std::string archive = archive_of({{"a", long_text}, {"b", long_text}});
  EXPECT_THAT(error_of_archive(archive, "a", {.members = 1}), HasSubstr("2 members, more than 1"));
  EXPECT_THAT(error_of_archive(archive, "a", {.bytes = 9999}), HasSubstr("more than 9999 bytes"));
  EXPECT_THAT(error_of_archive(archive, "a", {.member_bytes = 4999}), HasSubstr("has 5000 bytes when it is unpacked"));
  const Archive two(archive, {.read_bytes = 9999});
  two.read("a");
  EXPECT_THROW(two.read("b"), DataError);
  const std::string bomb = archive_of({{"a", std::string(2 << 20, '\0')}, {"b", std::string(2 << 20, '\0'), true}});
  EXPECT_THAT(error_of_archive(bomb, "a"), HasSubstr("more than 200 to 1"));
  EXPECT_EQ(error_of_archive(bomb, "b"), "none");
}

TEST(Archive, RefusesNamesThatLeadOutOfIt) {
  for (const char* name : {"../a", "a/../../b", "/etc/passwd", "a\\b", ".."})
    EXPECT_THAT(error_of_archive(archive_of({{name, "x"}, {"a", "x"}}), "a"), HasSubstr("leads out of it")) << name;
  EXPECT_EQ(error_of_archive(archive_of({{"..a/b..c", "x"}, {"a", "x"}}), "a"), "none");
}

TEST(Archive, RefusesWhatIsEncrypted) {
  const std::string archive = archive_of({{"a", "x", false, "secret"}});
  if (archive.empty()) GTEST_SKIP() << "this libzip cannot encrypt";
  EXPECT_THAT(error_of_archive(archive, "a"), HasSubstr("without a password"));
  EXPECT_THAT(error_of_archive("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more", "a"), HasSubstr("save it as .docx"));
}

TEST(Archive, TakesWhatIsDamaged) {
  const std::string archive = archive_of({{"a", long_text}, {"b", "b"}});
  for (const std::string& bytes : {std::string(), std::string("PK\x03\x04"), std::string(1000, 'P')})
    EXPECT_THAT(error_of_archive(bytes, "a"), HasSubstr("not the ZIP archive")) << bytes.size();
  for (std::size_t i = 0; i < archive.size(); ++i) {
    EXPECT_NE(error_of_archive(archive.substr(0, i), "a"), "none") << i;
    std::string changed = archive;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    for (const char* member : {"a", "b"}) error_of_archive(changed, member);  // no other kind of error
  }
  std::string content = archive;
  content[archive.find("a") + 10] ^= 1;  // a packed byte
  EXPECT_THAT(error_of_archive(content, "a"), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace hexapla::text::document
