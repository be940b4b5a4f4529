#include "convert/writing/new_folder.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"

namespace hexapla::convert {
namespace fs = std::filesystem;

NewFolder::NewFolder(const std::string& path) : path_(fs::path(path + "/").parent_path().string()) {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !(fs::is_directory(path_, ignored) && fs::is_empty(path_, ignored)))
    throw UsageError(cat(path_, " is there already; give `output` another name, or remove it"), "output", path);
  temporary_ = cat(path_, ".partial-", getpid());
  std::error_code error;
  fs::remove_all(temporary_, error);  // left by an earlier process with the same id
  if (!fs::create_directories(temporary_, error)) fail_file("create", temporary_, error ? error.value() : EEXIST);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string NewFolder::file(const std::string& name) const {
  const fs::path path = fs::path(temporary_) / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail_file("create", path.parent_path().string(), error.value());
  return path.string();
}

void NewFolder::commit() {
  sync_directory(temporary_);
  std::error_code error;
  fs::rename(temporary_, path_, error);  // replaces an empty folder
  if (error) fail_file("create", path_, error.value());
  temporary_.clear();
  sync_directory(directory_of(path_));
}

}  // namespace hexapla::convert
