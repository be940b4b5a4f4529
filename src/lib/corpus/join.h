#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace hexapla::api {

struct Joined {
  int64_t lines = 0;
  size_t parts = 0;
};
// Joins the outputs of all shards of a file into `output`. paths: the outputs, in any order;
// manifests and unfinished files are skipped. UsageError: nothing else is left. DataError: as
// data::join_shards().
Joined join(std::vector<std::string> paths, const std::string& output);

}  // namespace hexapla::api
