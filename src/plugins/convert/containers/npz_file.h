#pragma once
// NumPy's .npz: a zip archive of .npy files, stored or deflated (see numpy.lib.format, versions 1
// to 3). Fortran order is converted to row-major; big-endian numbers, objects, texts and records
// are rejected by name.
#include <string>
#include <vector>

#include "convert/containers/catalog.h"
#include "convert/parsing/zip_archive.h"

namespace hexapla::convert {

struct NpyHead {
  ElementType type = ElementType::f32;
  bool fortran = false;
  std::vector<size_t> shape;
  size_t bytes = 0;  // of the header itself
};

// Parses the header at the beginning of an array. place: "x.npz: entry 'a.npy'". DataError naming
// it and the field.
NpyHead npy_head(std::string_view start, const std::string& place);

class NpzFile : public ForeignTensors {
 public:
  static constexpr size_t kMaxHead = 16384;  // bytes; NumPy allows 10,000

  // DataError naming the file and the entry: not a zip archive, damaged, not an array, or an
  // unsupported type.
  explicit NpzFile(const std::string& path);

  const std::string& path() const override { return archive_.path(); }
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;
  // The raw bytes of a tensor; i8 and u8 may be text (Marian's special:model.yml, zero-padded).
  std::string bytes(const ForeignTensor& tensor) const;

 private:
  struct Array {
    const ZipEntry* entry = nullptr;
    size_t head = 0;  // bytes
    bool fortran = false;
  };
  std::string start_of(const ZipEntry& entry) const;
  ReadBytes reader(const ForeignTensor& tensor, const Array& array) const;

  ZipArchive archive_;
  Catalog<Array> catalog_;
};

}  // namespace hexapla::convert
