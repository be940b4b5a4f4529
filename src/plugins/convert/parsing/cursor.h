#pragma once
// Reads numbers and bytes from the front of a text, each after checking what is left.
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace hexapla::convert {

class Cursor {
 public:
  // place: "x.pt: data.pkl", for messages.
  Cursor(std::string_view bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}

  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  const std::string& place() const { return place_; }

  // The next `size` bytes. DataError if fewer are left.
  std::string_view take(size_t size) {
    if (size > left())
      throw DataError(cat(place_, ": at byte ", at_, " ", size, " bytes should follow, but only ", left(),
                          " do; the file is cut short or damaged"));
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  // A little-endian number. DataError as take().
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  // The bytes up to the next newline, which is consumed. DataError if there is none.
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos)
      throw DataError(cat(place_, ": at byte ", at_, " a line should follow, but does not end; the file is cut short ",
                          "or damaged"));
    const std::string_view text = take(end - at_);
    ++at_;
    return text;
  }

 private:
  std::string_view bytes_;
  std::string place_;
  size_t at_ = 0;
};

}  // namespace hexapla::convert
