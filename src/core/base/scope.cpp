#include "base/scope.h"

#include <vector>

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

}  // namespace hexapla
