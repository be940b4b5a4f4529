#pragma once
// The index of a model in several files: {"weight_map": {"encoder.weight": "model-00001-of-00002.safetensors"}}.
#include <map>
#include <set>
#include <string>

namespace hexapla::convert {

struct ShardIndex {
  std::map<std::string, std::string> file_of;  // by tensor, a bare file name
  std::set<std::string> files;
};

// DataError naming index and tensor: not an index, a file in another folder, too many files.
ShardIndex read_shard_index(const std::string& path);

// The path of a file that the index at `path` names.
std::string beside(const std::string& path, const std::string& name);

}  // namespace hexapla::convert
