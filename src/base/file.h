#pragma once
// Files as the rest of the library sees them: read whole, mapped, or written so that a crash leaves either the old
// file or the new one. Every failure names the path, the reason in the system's words, and what to do next.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hexapla {

// The whole content. DataError where there is no such file, RunError where it cannot be read. Reads pipes, too.
std::string read_file(const std::string& path);

// Replaces path by content, or leaves it as it was and throws RunError. A symbolic link is followed.
void write_file_atomically(const std::string& path, std::string_view content);

// Makes the names inside a folder (new files, renames) survive a power cut. RunError on failure.
void sync_directory(const std::string& path);

// The folder of a path, "." for a bare name.
std::string directory_of(const std::string& path);

// "cannot write /x/y: No space left on device; free some space ...". doing is the verb: "write", "create".
[[noreturn]] void fail_file(std::string_view doing, const std::string& path, int error_number);

// A file written piece by piece under a temporary name in the same folder. commit() flushes it to the disk and gives
// it its name; a writer destroyed before that removes what it has written. RunError on failure.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
};

// The content of a regular file, mapped read-only. It must not be cut short by others while it is mapped;
// hexapla itself never writes into a file in place. Errors as read_file.
class MappedFile {
 public:
  MappedFile() = default;  // nothing
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // The system may have the memory of this part back: what is looked at again is read again.
  void forget(std::span<const std::byte> part) const;
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace hexapla
