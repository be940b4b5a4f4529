#pragma once
// The tensors of a model in one safetensors file, or in several listed in an index
// (model.safetensors.index.json, as transformers writes it: {"weight_map": {"encoder.weight":
// "model-00001-of-00002.safetensors"}}).
#include <memory>
#include <string>
#include <vector>

#include "convert/containers/catalog.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

class SafetensorsModel : public ForeignTensors {
 public:
  // path: a .safetensors file, or an index with its files in the same folder. DataError naming the
  // file and the tensor: a file is damaged, missing or elsewhere, or index and files disagree.
  explicit SafetensorsModel(const std::string& path);

  const std::string& path() const override { return path_; }
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

 private:
  void open_index();
  void add(const std::string& file);

  std::string path_;
  std::vector<SafetensorsFile> files_;
  struct Place {
    size_t file = 0;
    TensorEntry entry;
  };
  Catalog<Place> catalog_;
};

}  // namespace hexapla::convert
