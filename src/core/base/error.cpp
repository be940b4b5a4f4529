#include "base/error.h"

#include <sstream>

#include "base/classic.h"
#include "base/scope.h"

namespace hexapla {
namespace detail {

Streamed streamed(const char* text) {
  return {text, [](std::ostream& out, const void* v) { out << static_cast<const char*>(v); }};
}

std::string joined(std::initializer_list<Streamed> all) {
  Classic<std::ostringstream> out;
  out.exceptions(std::ios_base::badbit);  // throw if memory runs out, instead of truncating the text silently
  for (const Streamed& one : all) one.write(out, one.value);
  return out.str();
}

}  // namespace detail

void fail(const std::string& what, const char* file, int line) {
  const std::string where = Scope::path();
  throw InternalError(cat(what, where.empty() ? "" : "\n  in  " + where, "\n  at  ", file, ":", line));
}

}  // namespace hexapla
