#pragma once
// Files as the rest of the library sees them: read whole or in parts, or written so that a crash leaves either the old
// file or the new one. Every failure names the path, the reason in the system's words, and what to do next.
#include <cstddef>
#include <string>
#include <string_view>

namespace hexapla {

// The whole content. DataError where there is no such file, RunError where it cannot be read. Reads pipes, too.
std::string read_file(const std::string& path);

// Replaces path by content, or leaves it as it was and throws RunError. A symbolic link is followed.
void write_file_atomically(const std::string& path, std::string_view content);

// Do two paths, however they are spelled, lead to one file? Also of files that are not there yet: it would be one, if
// both were written. "-" is what stdin reads from.
bool same_file(const std::string& a, const std::string& b);

// Makes the names inside a folder (new files, renames) survive a power cut. RunError on failure.
void sync_directory(const std::string& path);

// The folder of a path, "." for a bare name.
std::string directory_of(const std::string& path);

// "cannot write /x/y: No space left on device; free some space ...". doing is the verb: "write", "create".
[[noreturn]] void fail_file(std::string_view doing, const std::string& path, int error_number);

// A file written chunk by chunk under a temporary name in the same folder. flush() brings it to the disk, after which
// nothing can be written; commit() does too and gives it its name. Files that belong together are all flushed before
// the first is committed. A writer destroyed before that removes what it has written. RunError on failure.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void flush();
  void commit();

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
};

// A regular file that is read in parts, as it is when they are read. What others cut off meanwhile is a DataError; in
// mapped memory it would be the end of the process (SIGBUS), and what they write into the file would change numbers
// that were checked already. Errors as read_file.
class FileReader {
 public:
  FileReader() = default;  // nothing
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;

  const std::string& path() const { return path_; }
  size_t size() const { return size_; }  // bytes, when it was opened
  void read(size_t at, void* to, size_t size) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

}  // namespace hexapla
