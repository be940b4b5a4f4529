#pragma once
#include <cstdint>

namespace hexapla::data {

// A window of an epoch's pairs: the part of the epoch, and which of that part's windows, both from 0.
struct WindowPosition {
  int64_t part = 0, number = 0;
  bool operator==(const WindowPosition&) const = default;
};

// Where a batch stands in its epoch: the window, and which of its batches, from 0.
struct BatchPosition {
  WindowPosition window;
  int64_t batch = 0;
  bool operator==(const BatchPosition&) const = default;
};

}  // namespace hexapla::data
