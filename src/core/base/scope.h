#pragma once
#include <string>
#include <string_view>

namespace hexapla {

// A named section of execution, "decoder.layers.3.cross_attention". The names appear in errors and
// tensor dumps. The name must outlive the Scope (use string literals).
class Scope {
 public:
  explicit Scope(std::string_view name, int index = -1);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // The dotted path of this thread; "" outside of any Scope.
  static std::string path();
};

}  // namespace hexapla
