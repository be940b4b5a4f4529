#pragma once
#include <string>
#include <string_view>

namespace hexapla {

// A named stretch of execution, "decoder.layers.3.cross_attention". The same names label errors and tensor dumps.
// The name must outlive the Scope (string literals do).
class Scope {
 public:
  explicit Scope(std::string_view name, int index = -1);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // The dotted path of this thread, "" outside of every Scope.
  static std::string path();
};

}  // namespace hexapla
