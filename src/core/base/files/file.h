#pragma once
// Files: read whole or in parts, or written so that a crash leaves either the old file or the new
// one. Every error names the path, the reason in the system's words, and what to do next.
#include <cstddef>
#include <string>
#include <string_view>

namespace hexapla {

// Reads the whole content, from pipes, too. DataError if there is no such file, RunError if it
// cannot be read.
std::string read_file(const std::string& path);

// Replaces path by content; on failure leaves it as it was and throws RunError. Follows symbolic
// links.
void write_file_atomically(const std::string& path, std::string_view content);

// Whether two paths lead to the same file, however they are spelled. For files that do not exist
// yet: whether writing both would make one file. "-" is the file that stdin reads.
bool same_file(const std::string& a, const std::string& b);

// Makes changes to the names in a folder (new files, renames) durable: they survive a power cut.
// RunError.
void sync_directory(const std::string& path);

// The folder of a path, "." for a bare name.
std::string directory_of(const std::string& path);

// "cannot write /x/y: No space left on device; free some space ...". doing is the verb: "write", "create".
[[noreturn]] void fail_file(std::string_view doing, const std::string& path, int error_number);

// A file written chunk by chunk under a temporary name in the same folder. flush() writes it to the
// disk and ends writing; commit() flushes, too, and gives the file its name. Flush all files that
// belong together before committing the first. The destructor removes an uncommitted file. RunError
// on failure.
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

// A regular file that is read in parts, not mapped: if another process truncates it, the read
// throws DataError, where mapped memory would end the process (SIGBUS), and later writes cannot
// change numbers that were already checked. Errors as in read_file.
class FileReader {
 public:
  FileReader() = default;
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;

  const std::string& path() const { return path_; }
  size_t size() const { return size_; }  // bytes, when opened
  void read(size_t at, void* to, size_t size) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

}  // namespace hexapla
