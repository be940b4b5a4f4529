#pragma once
// The tensors of several torch.save() files listed in an index (pytorch_model.bin.index.json, which
// transformers wrote before safetensors).
#include <memory>
#include <string>
#include <vector>

#include "convert/containers/torch_file.h"

namespace hexapla::convert {

class TorchShards : public ForeignTensors {
 public:
  // path: the index, with its files in the same folder. DataError as for TorchFile, or index and
  // files disagree.
  explicit TorchShards(const std::string& path);

  const std::string& path() const override { return path_; }
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

 private:
  std::string path_;
  std::vector<std::unique_ptr<TorchFile>> files_;
  Catalog<size_t> catalog_;  // Place: index of the file
};

}  // namespace hexapla::convert
