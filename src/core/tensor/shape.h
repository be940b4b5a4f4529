#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>

namespace hexapla {

// Up to four dimensions; printed as [32, 17, 512]. shape[-1] is the last one.
class Shape {
 public:
  static constexpr int kMaxRank = 4;
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<int64_t> dims) {
    for (int64_t d : dims) dims_[rank_++] = d;
  }
  constexpr int rank() const { return rank_; }
  constexpr int64_t operator[](int i) const { return dims_[i < 0 ? rank_ + i : i]; }
  constexpr int64_t size() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  // The number of rows: the product of all dimensions but the last.
  constexpr int64_t rows() const { return dims_[rank_ - 1] == 0 ? 0 : size() / dims_[rank_ - 1]; }
  constexpr Shape with_last(int64_t d) const {
    Shape s = *this;
    s.dims_[rank_ - 1] = d;
    return s;
  }
  constexpr Shape with_first(int64_t d) const {
    Shape s = *this;
    s.dims_[0] = d;
    return s;
  }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Shape& s) {
    out << '[';
    for (int i = 0; i < s.rank_; ++i) out << (i ? ", " : "") << s[i];
    return out << ']';
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

}  // namespace hexapla
