#include "convert/containers/shard_index.h"

#include <filesystem>

#include "base/error.h"
#include "convert/parsing/json_texts.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

// A bare name: no folder, and neither "." nor "..".
bool is_bare(const std::string& name) {
  return !name.empty() && name.size() <= limits::kName && name != "." && name != ".." &&
         name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

}  // namespace

ShardIndex read_shard_index(const std::string& path) {
  ShardIndex index{read_text_map(path, "weight_map"), {}};
  for (const auto& [tensor, file] : index.file_of) {
    if (!is_bare(file))
      throw DataError(cat(path, ": tensor ", shown(tensor), " should be in ", shown(file),
                          "; allowed are files beside ", "the index, named without a folder"));
    if (index.files.insert(file).second && index.files.size() > limits::kShards)
      throw DataError(cat(path, ": it names more than ", limits::kShards, " files"));
  }
  return index;
}

std::string beside(const std::string& path, const std::string& name) {
  return (std::filesystem::path(path).parent_path() / name).string();
}

}  // namespace hexapla::convert
