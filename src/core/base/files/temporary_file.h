#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hexapla {

// A nameless file for data that does not fit into memory. It disappears with the process, however
// that ends.
class TemporaryFile {
 public:
  // In a folder, which is created if necessary. RunError if the folder cannot be written to.
  explicit TemporaryFile(const std::string& folder);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  uint64_t append(std::string_view bytes);  // where the bytes begin. RunError, for example for a full disk
  void read(uint64_t offset, size_t size, std::string& to) const;  // thread-safe. RunError
  uint64_t size() const { return size_; }

 private:
  std::string folder_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace hexapla
