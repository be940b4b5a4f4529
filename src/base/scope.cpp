#include "base/scope.h"

#include <vector>

#include "base/error.h"

namespace hexapla {
namespace {
struct Entry {
  std::string_view name;
  int index;
};
thread_local std::vector<Entry> stack;
}  // namespace

Scope::Scope(std::string_view name, int index) { stack.push_back({name, index}); }
Scope::~Scope() { stack.pop_back(); }

std::string Scope::path() {
  std::string path;
  for (const auto& [name, index] : stack) {
    if (!path.empty()) path += '.';
    path += name;
    if (index >= 0) path += '.' + std::to_string(index);
  }
  return path;
}

void fail(const std::string& what, const char* file, int line) {
  const std::string where = Scope::path();
  throw InternalError(cat(what, where.empty() ? "" : "\n  in  " + where, "\n  at  ", file, ":", line));
}

}  // namespace hexapla
