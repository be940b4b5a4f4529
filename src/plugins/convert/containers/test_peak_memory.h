#pragma once
// Replaces operator new and delete in the test program whose single source file includes this, to
// measure peak memory. Not under sanitizers, which have their own: HEXAPLA_SEES_PEAKS is not
// defined.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEXAPLA_SEES_PEAKS 1
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace hexapla::convert {

inline std::atomic<size_t> bytes_in_use{0}, most_bytes_in_use{0};

inline void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  const size_t now = bytes_in_use += malloc_usable_size(p);
  for (size_t most = most_bytes_in_use; now > most && !most_bytes_in_use.compare_exchange_weak(most, now);) continue;
  return p;
}
inline void uncounted(void* p) noexcept {
  if (p) bytes_in_use -= malloc_usable_size(p);
  std::free(p);
}

// Measures from its construction on.
class PeakMemory {
 public:
  PeakMemory() : before_(bytes_in_use) { most_bytes_in_use = before_; }
  size_t bytes() const { return most_bytes_in_use - before_; }

 private:
  size_t before_;
};

}  // namespace hexapla::convert

// Not inlined: GCC would see free() meet operator new and warn.
[[gnu::noinline]] void* operator new(size_t n) { return hexapla::convert::counted(std::malloc(n)); }
[[gnu::noinline]] void* operator new[](size_t n) { return hexapla::convert::counted(std::malloc(n)); }
[[gnu::noinline]] void* operator new(size_t n, std::align_val_t a) {
  const auto alignment = static_cast<size_t>(a);
  return hexapla::convert::counted(std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { hexapla::convert::uncounted(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { hexapla::convert::uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { hexapla::convert::uncounted(p); }
[[gnu::noinline]] void operator delete[](void* p, size_t) noexcept { hexapla::convert::uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { hexapla::convert::uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept { hexapla::convert::uncounted(p); }
#endif
