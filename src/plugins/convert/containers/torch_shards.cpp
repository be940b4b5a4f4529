#include "convert/containers/torch_shards.h"

#include "convert/containers/shard_index.h"

namespace hexapla::convert {

TorchShards::TorchShards(const std::string& path) : path_(path) {
  const ShardIndex index = read_shard_index(path);
  size_t tensors = 0;
  for (const std::string& name : index.files) {
    files_.push_back(std::make_unique<TorchFile>(beside(path, name)));
    for (const ForeignTensor& tensor : files_.back()->list()) {
      const auto listed = index.file_of.find(tensor.name);
      if (listed == index.file_of.end() || listed->second != name)
        throw DataError(cat(files_.back()->path(), ": the index has tensor ", shown(tensor.name),
                            " not in this file; the files are of different models"));
      catalog_.add(path_, tensor, files_.size() - 1);
      ++tensors;
    }
  }
  catalog_.sort(path_);
  if (tensors != index.file_of.size())
    throw DataError(cat(path_, ": the files have ", tensors, " tensors, but the index names ", index.file_of.size(),
                        "; they are of different models"));
}

std::vector<float> TorchShards::read(const ForeignTensor& tensor) const {
  const TorchFile& file = *files_[catalog_.place_of(tensor)];
  return file.read(file.get(tensor.name));
}

std::vector<float> TorchShards::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const TorchFile& file = *files_[catalog_.place_of(tensor)];
  return file.read_part(file.get(tensor.name), first, count);
}

}  // namespace hexapla::convert
