#pragma once
// The safetensors format (github.com/huggingface/safetensors): a length in 8 bytes, a JSON header,
// raw numbers. The reader trusts nothing: it checks every count, size and offset before use, so a
// malicious file causes a DataError that names the file, the tensor, what was found and what is
// allowed.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "tensor/tensor.h"

namespace hexapla {

// One tensor of an open file.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  size_t offset = 0;  // of its first byte in the file, not necessarily aligned

  size_t byte_count() const { return static_cast<size_t>(shape.size()) * size_of(dtype); }
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A file of tensors. Allowed: a header of at most 16 MiB, 65,536 tensors, names of 1 to 255 bytes
// without control characters, types F32 F64 BF16 F16 I8 I32 I64 U8, rank 0 to 4; the tensors must
// cover the data without gaps or overlaps.
class SafetensorsFile {
 public:
  static constexpr size_t kMaxHeader = size_t{16} << 20;  // bytes
  static constexpr size_t kMaxTensors = 65536;
  static constexpr size_t kMaxName = 255;  // bytes

  // Reads the header. DataError if the file is missing or malformed.
  static SafetensorsFile open(const std::string& path);
  // The same for bytes in memory, which must outlive the result; messages use `name` as the path.
  static SafetensorsFile parse(std::string_view bytes, const std::string& name);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // sorted by name
  const TensorEntry* find(std::string_view name) const;                 // nullptr if there is none
  const TensorEntry& get(std::string_view name) const;                  // DataError if there is none

  // The current bytes of a tensor. They may have changed since open(): where that matters, compare
  // a checksum of what was read. DataError if the file has been truncated since.
  void read(const TensorEntry& t, void* to) const;
  // `size` bytes from byte `at` of the tensor on.
  void read(const TensorEntry& t, size_t at, void* to, size_t size) const;
  std::string text(const TensorEntry& t) const;
  // The same; DataError if the tensor does not have the type and shape of `to` (contiguous).
  void copy(const TensorEntry& t, const Tensor& to) const;

 private:
  static SafetensorsFile with_header(std::string_view header, size_t data_size, const std::string& path);

  std::string path_;
  FileReader file_;
  std::string_view bytes_;  // used by parse(), instead of the file
  std::map<std::string, std::string> metadata_;
  std::vector<TensorEntry> tensors_;
};

// Writes atomically (see AtomicFile; RunError on failure). The order is canonical (wide types
// first, then by name), and the header is padded with spaces so that the data begins at a multiple
// of 64 bytes. So every tensor is aligned for its type, and the same content gives the same bytes
// in whatever order it is passed. InternalError: a name used twice or refused by the reader, or a
// tensor that is not contiguous.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

// A tensor whose numbers are computed when it is written, so that not all tensors are in memory at
// the same time: give() passes all its bytes to take(), once.
struct TensorSource {
  std::string name;
  DType dtype;
  Shape shape;
  std::function<void(const std::function<void(const void* bytes)>& take)> give;
};
void write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hexapla
