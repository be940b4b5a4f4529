#pragma once
// Large blocks of memory, straight from the system, in huge pages where available. A product walks
// over rows that are about a small page apart, so small pages cost a page table lookup per row.
#include <cstddef>
#include <memory>

namespace hexapla {

class Pages {
 public:
  Pages() = default;
  // Zeroed memory, aligned to 64 bytes. Pages are allocated on first write, so `bytes` may exceed
  // physical memory. std::bad_alloc if even the address space is refused.
  explicit Pages(size_t bytes);
  // Addresses that `owner` keeps reserved, for example of a device's memory, aligned to 64 bytes. forget() and
  // give_back() leave them alone.
  Pages(std::byte* data, size_t bytes, std::shared_ptr<void> owner);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }  // as requested

  // Returns the memory of [from, to), in bytes, to the system. It then reads as zero, except for
  // pages shared with data outside of the range.
  void forget(size_t from, size_t to);

  // Returns all memory to the system but keeps the addresses reserved. Any later access ends the
  // process.
  void give_back();

 private:
  std::byte *data_ = nullptr, *mapped_ = nullptr;
  size_t size_ = 0, mapped_size_ = 0;
  std::shared_ptr<void> owner_;  // of addresses that are not mapped here
};

}  // namespace hexapla
