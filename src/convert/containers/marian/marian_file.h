#pragma once
// Marian's own binary format, .bin (its src/common/binary.cpp, version 1): heads of all items, their names, their
// shapes, their bytes. Weights of intgemm, whole numbers of 8 or 16 bits, are read as the numbers that they stand for:
// each divided by the one factor that stands behind them. But for embeddings ("Wemb") such a matrix lies transposed.
#include <string>
#include <vector>

#include "base/files/file.h"
#include "convert/containers/catalog.h"

namespace hexapla::convert {

class MarianFile : public ForeignTensors {
 public:
  // DataError naming the file and the item: of another format or version, cut short, damaged, of a type that only one
  // processor has.
  explicit MarianFile(const std::string& path);

  const std::string& path() const override { return file_.path(); }
  // Without the scales of activations ("..._QuantMultA"), which are of use to no other arithmetic.
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;
  // The bytes of an item of whole numbers as they are (special:model.yml, a text with zeros at its end).
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

// Whether a file begins as one of these.
bool is_marian_file(const std::string& path);

}  // namespace hexapla::convert
