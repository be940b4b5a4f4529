#pragma once
#include <cstdint>

namespace hexapla::data {

// A window of an epoch's pairs: the part of the epoch, and the window's number in it, from 0.
struct WindowPosition {
  int64_t part = 0, number = 0;
  bool operator==(const WindowPosition&) const = default;
};

// A batch of an epoch: its window, and its number in that window, from 0.
struct BatchPosition {
  WindowPosition window;
  int64_t batch = 0;
  bool operator==(const BatchPosition&) const = default;
};

}  // namespace hexapla::data
