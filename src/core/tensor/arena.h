#pragma once
#include <algorithm>
#include <cstddef>

#include "base/compute/pages.h"
#include "base/error.h"

namespace hexapla {

// One slab with two stacks: what backward will need (keep) grows from the bottom; what is needed
// only within a call (scratch) grows from the top. Backward pops both in the exact reverse order of
// forward. An arena never calls malloc after its construction.
class Arena {
 public:
  // capacity in bytes. Pages are touched only when used.
  explicit Arena(size_t capacity);
  // The same in memory from elsewhere, of which all is used (backend/context.h: make_arena).
  explicit Arena(Pages slab);
  // The bytes that an arena of this capacity takes.
  static size_t bytes_for(size_t capacity);
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = delete;

  void* keep(size_t bytes) {
    const size_t at = bottom_;
    bottom_ += align(bytes);
    grow();
    return slab_.data() + at;
  }
  void* scratch(size_t bytes) {
    top_ = align(bytes) > top_ ? 0 : top_ - align(bytes);
    grow();
    return slab_.data() + top_;
  }

  struct Mark {
    size_t bottom, top;
  };
  Mark mark() const { return {bottom_, top_}; }
  void rewind(Mark m) {
    bottom_ = m.bottom;
    top_ = m.top;
  }
  void clear() { rewind({0, capacity_}); }
  // Returns the memory between the two stacks to the system, until it is used again.
  void release() { slab_.forget(bottom_, top_); }

  // Gives back all scratch taken inside a frame when the frame ends.
  class Frame {
   public:
    explicit Frame(Arena& a) : arena_(a), top_(a.top_) {}
    ~Frame() { arena_.top_ = top_; }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Arena& arena_;
    size_t top_;
  };
  size_t peak() const { return peak_; }  // bytes, both stacks together
  size_t capacity() const { return capacity_; }
  void reset_peak() { peak_ = 0; }

 private:
  static size_t align(size_t n) { return (n + 63) & ~size_t{63}; }
  void grow() {
    if (bottom_ >= top_) [[unlikely]]
      full();
    peak_ = std::max(peak_, bottom_ + capacity_ - top_);
  }
  [[noreturn]] void full() const;

  Pages slab_;
  size_t capacity_, bottom_ = 0, top_, peak_ = 0;
};

}  // namespace hexapla
