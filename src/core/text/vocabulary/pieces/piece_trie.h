#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

// Finds pieces at the beginning of a text. The trie's edges are a hash table: (node, byte) -> node.
class PieceTrie {
 public:
  PieceTrie() : slots_(64), ids_(1, -1) {}

  void add(std::string_view piece, int32_t id) {
    int32_t node = 0;
    for (const char c : piece) {
      const int32_t next = child(node, c);
      node = next >= 0 ? next : grow(node, c);
    }
    ids_[node] = id;
  }
  // Calls f(bytes, id) for each piece that is a prefix of the text, shortest first.
  template <class F>
  void for_each_prefix(std::string_view text, F&& f) const {
    int32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      node = child(node, text[i]);
      if (node < 0) return;
      if (ids_[node] >= 0) f(i + 1, ids_[node]);
    }
  }
  int32_t find(std::string_view piece) const {  // -1: none
    int32_t found = -1;
    for_each_prefix(piece, [&](size_t bytes, int32_t id) {
      if (bytes == piece.size()) found = id;
    });
    return found;
  }

 private:
  struct Slot {
    uint64_t key = 0;  // node << 8 | byte, plus 1; 0: empty
    int32_t child = -1;
  };
  static uint64_t key(int32_t node, char c) {
    return ((static_cast<uint64_t>(node) << 8) | static_cast<unsigned char>(c)) + 1;
  }
  size_t slot(uint64_t key) const {
    size_t at = (key * 0x9E3779B97F4A7C15) >> (64 - std::countr_zero(slots_.size()));
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  int32_t child(int32_t node, char c) const { return slots_[slot(key(node, c))].child; }
  int32_t grow(int32_t node, char c) {
    if (2 * ids_.size() >= slots_.size()) {
      std::vector<Slot> old(slots_.size() * 2);
      old.swap(slots_);
      for (const Slot& s : old)
        if (s.key != 0) slots_[slot(s.key)] = s;
    }
    const auto made = static_cast<int32_t>(ids_.size());
    slots_[slot(key(node, c))] = {key(node, c), made};
    ids_.push_back(-1);
    return made;
  }

  std::vector<Slot> slots_;
  std::vector<int32_t> ids_;  // of the piece that ends at each node, or -1
};

}  // namespace hexapla::text
