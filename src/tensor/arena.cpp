#include "tensor/arena.h"

#include <new>

namespace hexapla {
namespace {

Pages reserved(size_t capacity) try { return Pages(capacity); } catch (const std::bad_alloc&) {
  throw RunError(cat("cannot reserve ", capacity >> 20, " MiB of working memory; lower --batch-tokens"));
}

}  // namespace

Arena::Arena(size_t capacity)
    : slab_(reserved(align(std::max<size_t>(capacity, 4096)))), capacity_(slab_.size()), top_(capacity_) {}

void Arena::full() const {
  throw RunError(cat("the working memory of ", capacity_ >> 20, " MiB is full; lower --batch-tokens"));
}

}  // namespace hexapla
