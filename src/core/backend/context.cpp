#include "backend/context.h"

#include "backend/on_host.h"
#include "base/scope.h"

namespace hexapla {
namespace {
std::string here(const char* name) {
  const std::string place = Scope::path();
  return place.empty() ? name : place + "." + name;
}
}  // namespace

Tensor Context::on_device(std::span<const int32_t> numbers, Shape s) {
  HEXAPLA_CHECK(std::ssize(numbers) == s.size(), numbers.size(), " numbers do not fill ", s);
  const Tensor room = keep(s, DType::i32);
  if (backend.host_memory()) return Tensor::of(numbers.data(), s);
  if (!numbers.empty()) backend.copy_to_device(numbers.data(), room.bytes, numbers.size_bytes());
  return room;
}

Arena make_arena(Backend& backend, size_t capacity) {
  return backend.host_memory() ? Arena(capacity) : Arena(backend.allocate(Arena::bytes_for(capacity)));
}

void observe(Context& cx, const char* name, Tensor value, Offsets rows) {
  if (cx.observer) cx.observer->observe(here(name), OnHost(cx.backend, value), rows);
}

void observe_gradient(Context& cx, const char* name, Tensor gradient) {
  if (cx.observer) cx.observer->observe_gradient(here(name), OnHost(cx.backend, gradient));
}

}  // namespace hexapla
