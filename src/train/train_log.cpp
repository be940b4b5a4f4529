#include "train/train_log.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace hexapla {

JsonLines::JsonLines(std::string path, int64_t update) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) return;
  std::istringstream in(read_file(path_));
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (object.is_discarded() || object.value("update", int64_t{0}) > update) continue;
    kept += line + "\n";
  }
  write_file_atomically(path_, kept);
}

void JsonLines::append(const std::string& object) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path_.c_str(), "a"), std::fclose);
  if (!file || std::fprintf(file.get(), "%s\n", object.c_str()) < 0 || std::fflush(file.get()) != 0)
    throw RunError(
        cat("cannot write ", path_, ": ", std::strerror(errno), "; free some space or mend its permissions"));
}

}  // namespace hexapla
