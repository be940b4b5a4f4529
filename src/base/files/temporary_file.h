#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hexapla {

// A file without a name, for what does not fit into memory: it goes away with the process, however that ends.
class TemporaryFile {
 public:
  // In a folder, which is made if it is not there. RunError where it cannot be written to.
  explicit TemporaryFile(const std::string& folder);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  uint64_t append(std::string_view bytes);                         // where they begin. RunError: a full disk, say
  void read(uint64_t offset, size_t size, std::string& to) const;  // several threads may; RunError
  uint64_t size() const { return size_; }

 private:
  std::string folder_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace hexapla
