#pragma once
// Writes NumPy's .npz array by array: an uncompressed zip archive of .npy files.
#include <cstdint>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace hexapla::convert {

class NpzWriter {
 public:
  explicit NpzWriter(const std::string& path) : file_(path) {}
  // UsageError: an archive beyond 4 GiB, the limit without zip64. RunError: writing failed.
  void add(const std::string& name, const std::vector<size_t>& shape, const std::vector<float>& numbers);
  void add_text(const std::string& name, const std::string& bytes);  // an array of i8
  void commit();

 private:
  struct Entry {
    std::string name;
    uint32_t checksum, size, offset;
  };
  void add_array(const std::string& name, const std::string& type, const std::vector<size_t>& shape,
                 std::string_view bytes);

  AtomicFile file_;
  uint64_t at_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace hexapla::convert
