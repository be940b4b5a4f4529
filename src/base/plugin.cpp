#include "base/plugin.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/error.h"

namespace hexapla {
namespace {

std::string plugin_path(const char* file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path : {folder / file, folder / HEXAPLA_PLUGIN_FOLDER / file})
    if (!error && fs::exists(path, error)) return path.string();
  return "";
}

}  // namespace

const void* plugin_symbol(const char* file, const char* symbol, bool global, std::string& why) {
  why.clear();
  const std::string path = plugin_path(file);
  if (path.empty()) return nullptr;
  void* const opened = dlopen(path.c_str(), RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  const void* const found = opened == nullptr ? nullptr : dlsym(opened, symbol);
  if (found == nullptr) {
    const char* const error = dlerror();
    why = cat(path, " cannot be opened (", error == nullptr ? "no plugin" : error, ")");
  }
  return found;
}

}  // namespace hexapla
