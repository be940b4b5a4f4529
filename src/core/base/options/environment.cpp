#include "base/options/environment.h"

#include <cstdlib>

#include "base/error.h"

namespace hexapla {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

std::string cache_folder(const std::string& kind) {
  const char* cache = environment("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cat(cache, "/hexapla/", kind);
  const char* home = environment("HOME");
  return home ? cat(home, "/.cache/hexapla/", kind) : "";
}

}  // namespace hexapla
