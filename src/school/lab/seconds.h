#pragma once
// Times a piece of work.
#include <chrono>

namespace hexapla::lab {

template <class F>
double seconds_of(F&& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace hexapla::lab
