#include "backend/context.h"

#include "base/scope.h"

namespace hexapla {

void observe(Context& cx, const char* name, Tensor value, Offsets rows) {
  if (!cx.observer) return;
  const std::string place = Scope::path();
  cx.observer->observe(place.empty() ? name : place + "." + name, value, rows);
}

}  // namespace hexapla
