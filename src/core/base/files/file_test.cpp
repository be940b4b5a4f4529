#include "base/files/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "base/files/disk.h"
#include "base/files/hash.h"
#include "base/files/test_folder.h"

// Replaces fsync() in this program: without a power cut, nothing else shows what is flushed.
namespace {
std::vector<std::string>* flushed = nullptr;  // the flushed paths
}
extern "C" int fsync(int descriptor) {
  if (flushed) flushed->push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace hexapla {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

using FileTest = TestFolder;

TEST_F(FileTest, ReadsWhatWasWritten) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 1 << 20}) {
    std::string content(size, 'x');
    for (size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 31);
    write_file_atomically(at("f"), content);
    EXPECT_EQ(read_file(at("f")), content);
    const FileReader file(at("f"));
    ASSERT_EQ(file.size(), content.size());
    std::string half(size - size / 2, '\0');
    file.read(size / 2, half.data(), half.size());
    EXPECT_EQ(half, content.substr(size / 2));
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, FoldersAreMadeWithTheirEntriesFlushed) {
  std::vector<std::string> paths;
  flushed = &paths;
  make_folder(at("a/b/c"));
  EXPECT_TRUE(fs::is_directory(at("a/b/c")));
  make_folder(at("a/b/c"));
  flushed = nullptr;
  EXPECT_THAT(paths, testing::ElementsAre(folder(), at("a"), at("a/b")));
  write_file_atomically(at("file"), "x");
  EXPECT_THAT(what_of<RunError>([&] { make_folder(at("file")); }), HasSubstr("cannot create the folder " + at("file")));
  EXPECT_THAT(what_of<RunError>([&] { make_folder(at("file/x")); }), HasSubstr("cannot create the folder"));
}

TEST_F(FileTest, ReadsAPipe) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_THAT(what_of<DataError>([&] { FileReader f(at("pipe")); }), HasSubstr("not a regular file"));
  std::thread writer([&] {  // opening a pipe waits for the other end, so each end has its own thread
    FILE* pipe = fopen(at("pipe").c_str(), "w");
    fputs("through a pipe", pipe);
    fclose(pipe);
  });
  EXPECT_EQ(read_file(at("pipe")), "through a pipe");
  writer.join();
}

TEST_F(FileTest, MissingFilesAndFoldersAreNamed) {
  for (const auto& read : {std::function<void()>([&] { read_file(at("none")); }),
                           std::function<void()>([&] { FileReader f(at("none")); })})
    EXPECT_THAT(what_of<DataError>(read), AllOf(HasSubstr(at("none")), HasSubstr("No such file"), HasSubstr("check")));
  EXPECT_THAT(what_of<DataError>([&] { read_file(folder()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(what_of<DataError>([&] { FileReader f(folder()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(what_of<RunError>([&] { write_file_atomically(folder(), "x"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(what_of<RunError>([&] { write_file_atomically(at("no/file"), "x"); }),
              AllOf(HasSubstr(at("no/file")), HasSubstr("No such file"), HasSubstr("create the folder")));
}

// The temporary name is longer than the name itself.
TEST_F(FileTest, NamesMayBeAsLongAsTheSystemAllows) {
  for (const size_t size : {200, 240, 245, 250, 255}) {
    write_file_atomically(at(std::string(size, 'n')), "x");
    EXPECT_EQ(read_file(at(std::string(size, 'n'))), "x");
  }
  EXPECT_EQ(entries(), 5u);
  EXPECT_THAT(what_of<RunError>([&] { write_file_atomically(at(std::string(256, 'n')), "x"); }),
              AllOf(HasSubstr("File name too long"), HasSubstr("give a shorter name")));
  EXPECT_THAT(what_of<DataError>([&] { read_file(at(std::string(256, 'n'))); }), HasSubstr("give a shorter name"));
  try {
    (void)std::filesystem::is_directory(at(std::string(256, 'n')));
    FAIL();
  } catch (const std::filesystem::filesystem_error& e) {
    EXPECT_THAT(what_of<DataError>([&] { fail_path(e); }),
                AllOf(HasSubstr("nnn: File name too long"), HasSubstr("shorter")));
  }
}

TEST_F(FileTest, AFullDiskLeavesTheOldFileAndNoTemporary) {
  write_file_atomically(at("f"), "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT(what_of<RunError>([&] { write_file_atomically(at("f"), std::string(5000, 'n')); }),
                AllOf(HasSubstr(at("f")), HasSubstr("File too large"), HasSubstr("another disk")));
  }
  EXPECT_EQ(read_file(at("f")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, NoSpaceLeftIsNamed) {
  EXPECT_THAT(what_of<NoSpaceError>([&] { fail_file("write", "/some/where", ENOSPC); }),
              AllOf(HasSubstr("cannot write /some/where"), HasSubstr("No space left"), HasSubstr("free some space")));
}

TEST_F(FileTest, AWriterThatIsLeftBehindRemovesItsFile) {
  write_file_atomically(at("f"), "old");
  {
    AtomicFile file(at("f"));
    file.write("half of");
    EXPECT_EQ(entries(), 2u);
    AtomicFile second(at("f"));  // two at once do not collide
    second.write("other");
  }
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(read_file(at("f")), "old");
}

TEST_F(FileTest, WhatKilledWritersHaveLeftIsRemoved) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);  // from here on no process has this id
  const std::string dead = cat(at("vocab.spm.tmp-"), child, "-0"), alive = cat(at("f.tmp-"), getppid(), "-0"),
                    own = cat(at("f.tmp-"), getpid(), "-3");
  const std::vector<std::string> kept{at("f"), at("f.tmp-"), at("f.tmp-x-0"), alive};
  for (const std::string& file : kept) write_file_atomically(file, "x");
  for (const std::string& file : {dead, own}) write_file_atomically(file, "x");
  remove_abandoned_files(folder());
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_FALSE(fs::exists(own)) << "an earlier process had this number";
  for (const std::string& file : kept) EXPECT_TRUE(fs::exists(file)) << file;
  remove_abandoned_files(at("none"));
}

TEST_F(FileTest, ALinkReplacesAndTakesNoSpace) {
  write_file_atomically(at("new"), "new");
  write_file_atomically(at("old"), "old");
  link_file(at("new"), at("old"));
  EXPECT_EQ(read_file(at("old")), "new");
  EXPECT_TRUE(fs::equivalent(at("new"), at("old")));
  EXPECT_EQ(entries(), 2u);
  EXPECT_THAT(what_of<RunError>([&] { link_file(at("none"), at("old")); }), HasSubstr("No such file"));
}

TEST_F(FileTest, LinksStayLinksAndDevicesStayDevices) {
  write_file_atomically(at("f"), "old");
  fs::create_symlink(at("f"), at("link"));
  write_file_atomically(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("f")), "new");
  EXPECT_THAT(what_of<RunError>([] { write_file_atomically("/dev/null", "x"); }), HasSubstr("cannot be replaced"));
}

TEST_F(FileTest, OneFileHasManySpellings) {
  write_file_atomically(at("f"), "");
  fs::create_directories(at("folder"));
  fs::create_symlink(at("f"), at("link"));
  fs::create_hard_link(at("f"), at("hard"));
  fs::create_symlink(folder(), at("folder/up"));
  for (const std::string& same : {at("f"), at("./f"), at("folder/../f"), at("link"), at("hard"), at("folder/up/f")})
    EXPECT_TRUE(same_file(at("f"), same)) << same;
  EXPECT_TRUE(same_file(at("new"), at("folder/up/./new"))) << "neither is there";
  EXPECT_FALSE(same_file(at("new"), at("folder/new")));
  EXPECT_FALSE(same_file(at("new"), at("f")));
  EXPECT_FALSE(same_file(at("none/f"), at("gone/f")));
  const int before = dup(STDIN_FILENO), in = open(at("f").c_str(), O_RDONLY);
  dup2(in, STDIN_FILENO);
  EXPECT_TRUE(same_file("-", at("link")));
  dup2(before, STDIN_FILENO);
  EXPECT_FALSE(same_file("-", at("f")));
  close(before), close(in);
}

TEST_F(FileTest, FilesThatBelongTogetherAreFlushedBeforeTheirNames) {
  AtomicFile a(at("a")), b(at("b"));
  a.write("x"), b.write("y");
  a.flush(), b.flush();
  EXPECT_FALSE(fs::exists(at("a")) || fs::exists(at("b")));
  a.commit(), b.commit();
  EXPECT_EQ(read_file(at("a")) + read_file(at("b")), "xy");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(FileTest, AReaderMovesAndOutlivesTheName) {
  write_file_atomically(at("f"), "content");
  FileReader a(at("f"));
  FileReader b = std::move(a);
  write_file_atomically(at("f"), "replaced");  // by rename: the open file itself never changes
  EXPECT_EQ(hash_hex(b), hash_hex("content"));
  EXPECT_EQ(a.size(), 0u);
  a = FileReader(at("f"));
  EXPECT_EQ(hash_hex(a), hash_hex("replaced"));
}

TEST_F(FileTest, AFileThatIsCutShortWhileItIsReadIsAnError) {
  const std::string content(100'000, 'x');
  write_file_atomically(at("f"), content);
  const FileReader file(at("f"));
  EXPECT_EQ(hash_hex(file), hash_hex(content));
  fs::resize_file(at("f"), 9'000);
  EXPECT_THAT(what_of<DataError>([&] { hash_hex(file); }),
              AllOf(HasSubstr(at("f")), HasSubstr("ends at byte 9000"), HasSubstr("had 100000")));
}

TEST(Hash, PublishedValues) {
  // XXH3-128 with seed 0 of nothing: https://github.com/Cyan4973/xxHash, tests/sanity_test_vectors.h
  EXPECT_EQ(hash_hex(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(hash_hex("a"), hash_hex("b"));
  EXPECT_EQ(hash_hex("a").size(), 32u);
}

}  // namespace
}  // namespace hexapla
