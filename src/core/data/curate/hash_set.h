#pragma once
// A set of 64-bit hashes: 11 to 22 bytes per element; std::unordered_set needs about 56.
#include <cstdint>
#include <vector>

namespace hexapla::data {

class HashSet {
 public:
  HashSet() : slots_(1024) {}

  // Returns whether it is new.
  bool insert(uint64_t hash) {
    if (size_ * 4 >= slots_.size() * 3) grow();
    uint64_t& slot = slots_[find(hash)];
    if (slot != 0) return false;
    slot = stored(hash);
    ++size_;
    return true;
  }
  bool has(uint64_t hash) const { return slots_[find(hash)] != 0; }
  size_t size() const { return size_; }

 private:
  static uint64_t stored(uint64_t hash) { return hash == 0 ? 1 : hash; }  // 0 marks an empty slot
  size_t find(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t at = (hash >> 20) & mask;
    while (slots_[at] != 0 && slots_[at] != stored(hash)) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const uint64_t hash : old) {
      if (hash != 0) slots_[find(hash)] = hash;
    }
  }
  std::vector<uint64_t> slots_;
  size_t size_ = 0;
};

}  // namespace hexapla::data
