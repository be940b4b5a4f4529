#pragma once
// Replaces operator new and delete in the test program. Only one source file may include this; it
// defines before_allocation(), which every operator new calls first and which may throw
// std::bad_alloc. Sanitizers have operators of their own: there HEXAPLA_SEES_ALLOCATIONS is not
// defined, and nothing calls it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEXAPLA_SEES_ALLOCATIONS 1
#include <cstddef>
#include <cstdlib>
#include <new>

namespace hexapla {

void before_allocation();

inline void* allocated(size_t bytes, size_t alignment) {
  before_allocation();
  void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace hexapla

// Not inlined, because GCC would see free() meet operator new and warn.
[[gnu::noinline]] void* operator new(size_t n) { return hexapla::allocated(n, 16); }
[[gnu::noinline]] void* operator new[](size_t n) { return hexapla::allocated(n, 16); }
[[gnu::noinline]] void* operator new(size_t n, std::align_val_t a) {
  return hexapla::allocated(n, static_cast<size_t>(a));
}
[[gnu::noinline]] void* operator new[](size_t n, std::align_val_t a) {
  return hexapla::allocated(n, static_cast<size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
#endif
