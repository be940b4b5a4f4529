#pragma once
// The safetensors format (github.com/huggingface/safetensors): a length in 8 bytes, a JSON header, raw numbers.
// The reader believes nothing: every count, size and offset is checked before it is used, so a file made to harm
// ends in a DataError that names the file, the tensor, what was found and what is allowed.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "tensor/tensor.h"

namespace hexapla {

// One tensor of an open file. bytes points into the file and need not be aligned for the type: copy it.
struct TensorEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  const std::byte* bytes = nullptr;

  size_t byte_count() const { return static_cast<size_t>(shape.size()) * size_of(dtype); }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes), byte_count()}; }
  // Copies the numbers; DataError where they do not have the type and shape of `to` (contiguous).
  void copy_to(const Tensor& to, const std::string& file) const;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// A read-only view of a file of tensors. Allowed: header of at most 16 MiB, 65,536 tensors, names of 1 to 255 bytes
// without control characters, types F32 F64 BF16 I8 I32 U8, rank 0 to 4; the tensors fill the data without a hole,
// an overlap or a rest.
class SafetensorsFile {
 public:
  static constexpr size_t max_header = size_t{16} << 20;  // bytes
  static constexpr size_t max_tensors = 65536;
  static constexpr size_t max_name = 255;  // bytes

  // Maps the file. DataError where it is missing or malformed.
  static SafetensorsFile open(const std::string& path);
  // The same for bytes in memory, which have to outlive the result; name stands for the path in messages.
  static SafetensorsFile parse(std::string_view bytes, const std::string& name);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // sorted by name
  const TensorEntry* find(std::string_view name) const;                 // nullptr where there is none
  const TensorEntry& get(std::string_view name) const;                  // DataError where there is none
  void forget(const TensorEntry& t) const {                             // see MappedFile
    if (!file_.bytes().empty()) file_.forget({t.bytes, t.byte_count()});
  }

 private:
  std::string path_;
  MappedFile file_;
  std::map<std::string, std::string> metadata_;
  std::vector<TensorEntry> tensors_;
};

// Writes atomically (see AtomicFile; RunError on failure). The order is canonical: wide types first, then by name, and
// the header is padded with spaces so that the data begins at a multiple of 64 bytes. So every tensor is aligned for
// its type, and the same content gives the same bytes in whatever order it comes. Error for a name used twice, a name
// the reader would refuse, or a tensor that is not contiguous.
void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace hexapla
