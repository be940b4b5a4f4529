#include "tensor/arena.h"

#include <sys/mman.h>

#include <utility>

namespace hexapla {

Arena::Arena(size_t capacity) : capacity_(align(std::max<size_t>(capacity, 4096))), top_(capacity_) {
  void* p = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    throw RunError(cat("cannot reserve ", capacity_ >> 20, " MiB of working memory; lower --batch-tokens"));
  slab_ = static_cast<std::byte*>(p);
}

Arena::Arena(Arena&& other) noexcept
    : slab_(std::exchange(other.slab_, nullptr)),
      capacity_(other.capacity_),
      bottom_(other.bottom_),
      top_(other.top_),
      peak_(other.peak_) {}

Arena::~Arena() {
  if (slab_) munmap(slab_, capacity_);
}

void Arena::full() const {
  throw RunError(cat("the working memory of ", capacity_ >> 20, " MiB is full; lower --batch-tokens"));
}

}  // namespace hexapla
