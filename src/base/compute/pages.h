#pragma once
// Memory for many numbers, straight from the system: huge pages where it has them. A product walks over rows that lie a
// small page apart; with small ones every row is looked up in the page table again.
#include <cstddef>

namespace hexapla {

class Pages {
 public:
  Pages() = default;
  // Zeros, at a multiple of 64 bytes. A page is taken when it is first written, so bytes may be more than there are.
  // std::bad_alloc where even the addresses are refused.
  explicit Pages(size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }  // as asked for

  // The system has the memory of [from, to) back, in bytes: what is read there next is zero, unless it shares a page
  // with what lies outside.
  void forget(size_t from, size_t to);

  // The system has the memory back. Its addresses stay taken, so that nothing else gets them; reading or writing there
  // ends the process.
  void give_back();

 private:
  std::byte *data_ = nullptr, *mapped_ = nullptr;
  size_t size_ = 0, mapped_size_ = 0;
};

}  // namespace hexapla
