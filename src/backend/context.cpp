#include "backend/context.h"

#include "base/scope.h"

namespace hexapla {
namespace {
std::string here(const char* name) {
  const std::string place = Scope::path();
  return place.empty() ? name : place + "." + name;
}
}  // namespace

void observe(Context& cx, const char* name, Tensor value, Offsets rows) {
  if (cx.observer) cx.observer->observe(here(name), value, rows);
}

void observe_gradient(Context& cx, const char* name, Tensor gradient) {
  if (cx.observer) cx.observer->observe_gradient(here(name), gradient);
}

}  // namespace hexapla
