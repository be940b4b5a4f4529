#pragma once
// Marian's binary format, .bin (its src/common/binary.cpp, version 1): the headers of all items,
// their names, their shapes, their bytes. intgemm's weights, 8- or 16-bit integers, are read as
// real numbers: each is divided by the factor stored after them. These matrices are stored
// transposed, except embeddings ("Wemb").
#include <string>
#include <vector>

#include "base/files/file.h"
#include "convert/containers/catalog.h"

namespace hexapla::convert {

class MarianFile : public ForeignTensors {
 public:
  // DataError naming the file and the item: another format or version, truncated, damaged, or a
  // processor-specific type.
  explicit MarianFile(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  // Excludes the scales of activations ("..._QuantMultA"), needed only for integer arithmetic.
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;
  // The raw bytes of an integer item (special:model.yml, a text padded with zeros).
  std::string bytes(const ForeignTensor& tensor) const;

 private:
  struct Item {
    size_t offset = 0;  // of its bytes in the file
    bool scaled = false, turned = false;
  };
  struct Head;
  std::vector<Head> heads();
  void add(const Head& head, size_t offset);

  FileReader file_;
  Catalog<Item> catalog_;
};

// Whether a file begins like this format.
bool is_marian_file(const std::string& path);

}  // namespace hexapla::convert
