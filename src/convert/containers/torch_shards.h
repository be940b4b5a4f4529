#pragma once
// The tensors of several files of torch.save() that an index holds together (pytorch_model.bin.index.json, as
// transformers wrote it before safetensors).
#include <memory>
#include <string>
#include <vector>

#include "convert/containers/torch_file.h"

namespace hexapla::convert {

class TorchShards : public ForeignTensors {
 public:
  // path: the index, whose files lie beside it. DataError as of TorchFile; index and files disagree.
  explicit TorchShards(const std::string& path);

  const std::string& path() const override { return path_; }
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

 private:
  std::string path_;
  std::vector<std::unique_ptr<TorchFile>> files_;
  Catalog<size_t> catalog_;  // the number of the file
};

}  // namespace hexapla::convert
