#include "base/plugin.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/classic.h"
#include "base/error.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;

// The file that contains this code: the program, or the library or Python module that a program loaded. Not from
// dladdr(), whose path is as it was given to the loader, and may be relative to a folder that the process has left
// since.
fs::path own_file() {
  const auto here = reinterpret_cast<std::uintptr_t>(&plugin_symbol);
  Classic<std::ifstream> maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {  // "first-last rights offset device inode   /path"
    std::uintptr_t first = 0, last = 0;
    const char* const end = line.data() + line.size();
    const auto [dash, error] = std::from_chars(line.data(), end, first, 16);
    if (error != std::errc() || dash == end || std::from_chars(dash + 1, end, last, 16).ec != std::errc()) continue;
    const size_t path = line.find('/');
    if (first <= here && here < last && path != std::string::npos) return line.substr(path);
  }
  return {};
}

std::string plugin_path(const char* file) {
  const fs::path folder = own_file().parent_path();
  std::error_code error;
  for (const fs::path& path : {folder / file, folder / "hexapla" / file, folder / HEXAPLA_PLUGIN_FOLDER / file})
    if (!folder.empty() && fs::exists(path, error)) return path.string();
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
