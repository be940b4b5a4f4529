#include "backend/guarded/ranges.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>

namespace hexapla::guarded {

struct Ranges::Range {
  Range(std::shared_ptr<Ranges> of, size_t bytes) : ranges(std::move(of)), memory(bytes) {
    void* p = mmap(nullptr, std::max<size_t>(bytes, 1), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    first = static_cast<std::byte*>(p);
    const std::unique_lock lock(ranges->mutex_);
    ranges->all_[first] = this;
  }
  ~Range() {
    const std::unique_lock lock(ranges->mutex_);
    ranges->all_.erase(first);
    munmap(first, std::max<size_t>(memory.size(), 1));
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

  std::shared_ptr<Ranges> ranges;
  Pages memory;
  std::byte* first = nullptr;
};

Pages Ranges::reserve(size_t bytes) {
  const auto range = std::make_shared<Range>(shared_from_this(), bytes);
  return Pages(range->first, bytes, range);
}

std::byte* Ranges::find(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  const std::shared_lock lock(mutex_);
  auto next = all_.upper_bound(at);
  if (next == all_.begin()) return nullptr;
  const Range& range = *std::prev(next)->second;
  const auto offset = static_cast<size_t>(at - range.first);
  return offset <= range.memory.size() ? range.memory.data() + offset : nullptr;  // an empty tensor may lie at the end
}

}  // namespace hexapla::guarded
