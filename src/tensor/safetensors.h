#pragma once
// The safetensors format (github.com/huggingface/safetensors): a length in 8 bytes, a JSON header, raw numbers.
// The reader believes nothing: every count, size and offset is checked before it is used, so a file made to harm
// ends in a DataError that names the file, the tensor, what was found and what is allowed.
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
  size_t offset = 0;  // of its first byte in the file, which need not suit the type

  size_t byte_count() const { return static_cast<size_t>(shape.size()) * size_of(dtype); }
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A file of tensors. Allowed: header of at most 16 MiB, 65,536 tensors, names of 1 to 255 bytes
// without control characters, types F32 F64 BF16 F16 I8 I32 I64 U8, rank 0 to 4; the tensors fill the data without a
// hole, an overlap or a rest.
class SafetensorsFile {
 public:
  static constexpr size_t max_header = size_t{16} << 20;  // bytes
  static constexpr size_t max_tensors = 65536;
  static constexpr size_t max_name = 255;  // bytes

  // Reads the header. DataError where the file is missing or malformed.
  static SafetensorsFile open(const std::string& path);
  // The same for bytes in memory, which have to outlive the result; name stands for the path in messages.
  static SafetensorsFile parse(std::string_view bytes, const std::string& name);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // sorted by name
  const TensorEntry* find(std::string_view name) const;                 // nullptr where there is none
  const TensorEntry& get(std::string_view name) const;                  // DataError where there is none

  // The bytes of a tensor as they are now, which may not be as they were: where that matters, compare a checksum of
  // what was read. DataError where the file has been cut short meanwhile.
  void read(const TensorEntry& t, void* to) const;
  // `size` of them, from byte `at` of the tensor on.
  void read(const TensorEntry& t, size_t at, void* to, size_t size) const;
  std::string text(const TensorEntry& t) const;
  // The same; DataError where the tensor does not have the type and shape of `to` (contiguous).
  void copy(const TensorEntry& t, const Tensor& to) const;

 private:
  static SafetensorsFile with_header(std::string_view header, size_t data_size, const std::string& path);

  std::string path_;
  FileReader file_;
  std::string_view bytes_;  // instead of the file, of parse()
  std::map<std::string, std::string> metadata_;
  std::vector<TensorEntry> tensors_;
};

// Writes atomically (see AtomicFile; RunError on failure). The order is canonical: wide types first, then by name, and
// the header is padded with spaces so that the data begins at a multiple of 64 bytes. So every tensor is aligned for
// its type, and the same content gives the same bytes in whatever order it comes. InternalError for a name used twice,
// a name the reader would refuse, or a tensor that is not contiguous.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

// A tensor whose numbers are made when they are written, so that not all of them are in memory at a time: give() hands
// all its bytes to take(), once.
struct TensorSource {
  std::string name;
  DType dtype;
  Shape shape;
  std::function<void(const std::function<void(const void* bytes)>& take)> give;
};
void write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hexapla
