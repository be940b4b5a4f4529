#include "base/compute/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <utility>

namespace hexapla {
namespace {

constexpr size_t kHuge = size_t{2} << 20;  // bytes, on x86 and on arm with 4 KiB pages

size_t to_multiple(size_t n, size_t of) { return (n + of - 1) / of * of; }

}  // namespace

Pages::Pages(size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  if (bytes > SIZE_MAX - 2 * kHuge) throw std::bad_alloc();  // the additions below would overflow
  const bool worth_it = bytes >= kHuge;
  mapped_size_ = worth_it ? to_multiple(bytes, kHuge) + kHuge : bytes;  // room to align to a huge page
  void* p = mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  mapped_ = data_ = static_cast<std::byte*>(p);
  if (!worth_it) return;
  data_ += to_multiple(reinterpret_cast<uintptr_t>(p), kHuge) - reinterpret_cast<uintptr_t>(p);
  madvise(data_, to_multiple(bytes, kHuge), MADV_HUGEPAGE);  // without huge pages this fails, and small ones will do
}

Pages::Pages(std::byte* data, size_t bytes, std::shared_ptr<void> owner)
    : data_(data), size_(bytes), owner_(std::move(owner)) {}

Pages::~Pages() {
  if (mapped_) munmap(mapped_, mapped_size_);
}

void Pages::forget(size_t from, size_t to) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t begin = to_multiple(reinterpret_cast<uintptr_t>(data_) + from, page),
               end = (reinterpret_cast<uintptr_t>(data_) + to) / page * page;
  if (mapped_ && begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void Pages::give_back() {
  if (!mapped_) return;
  static_cast<void>(
      mmap(mapped_, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_size_(std::exchange(other.mapped_size_, 0)),
      owner_(std::move(other.owner_)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(mapped_, other.mapped_);
  std::swap(size_, other.size_);
  std::swap(mapped_size_, other.mapped_size_);
  std::swap(owner_, other.owner_);
  return *this;
}

}  // namespace hexapla
