#include "base/test_paths.h"

namespace hexapla {

std::string source_path(const std::string& name) { return HEXAPLA_SOURCE_DIR "/" + name; }
std::string build_path(const std::string& name) { return HEXAPLA_BINARY_DIR "/" + name; }

}  // namespace hexapla
