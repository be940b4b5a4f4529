#include "lib/corpus/join.h"

#include "base/error.h"
#include "base/files/disk.h"
#include "data/files/shard_files.h"

namespace hexapla::api {

Joined join(std::vector<std::string> paths, const std::string& output) {
  std::erase_if(paths, [](const std::string& path) {  // part-* also matches a killed worker's files
    return path.ends_with(data::manifest_of("")) || has_temporary_name(path);
  });
  if (paths.empty()) throw UsageError("there are manifests and unfinished files alone; name the outputs of the parts");
  return {data::join_shards(paths, output), paths.size()};
}

}  // namespace hexapla::api
