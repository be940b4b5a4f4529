#include "tensor/arena.h"

#include <cstdint>
#include <new>
#include <utility>

#include "base/compute/parallel.h"
#include "base/system/machine.h"

namespace hexapla {
namespace {

// Memory per thread besides the arena: its stack and malloc's reserve.
constexpr size_t kBytesPerThread = size_t{72} << 20;

Pages reserved(size_t capacity) try { return Pages(capacity); } catch (const std::bad_alloc&) {
  const auto others = static_cast<size_t>(threads() + 1) * kBytesPerThread;
  throw OutOfMemory(cat("cannot reserve ", capacity >> 20, " MiB of working memory: ",
                        why_memory_was_refused(capacity, others), ", or lower `batch-tokens`"));
}

}  // namespace

Arena::Arena(size_t capacity) : Arena(reserved(bytes_for(capacity))) {}

Arena::Arena(Pages slab) : slab_(std::move(slab)), capacity_(slab_.size()), top_(capacity_) {}

size_t Arena::bytes_for(size_t capacity) { return align(std::clamp<size_t>(capacity, 4096, SIZE_MAX / 2)); }

void Arena::full() const {
  throw RunError(cat("the working memory of ", capacity_ >> 20, " MiB is full; lower `batch-tokens`"));
}

}  // namespace hexapla
