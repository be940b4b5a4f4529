#pragma once
// The tensors of a model in safetensors files: one, or several that an index names (model.safetensors.index.json, as
// transformers writes it: {"weight_map": {"encoder.weight": "model-00001-of-00002.safetensors"}}).
#include <memory>
#include <string>
#include <vector>

#include "convert/containers/catalog.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

class SafetensorsModel : public ForeignTensors {
 public:
  // path: a .safetensors file, or an index, whose files lie beside it. DataError naming the file and the tensor: one of
  // them is damaged, is missing, or lies elsewhere; index and files disagree.
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
