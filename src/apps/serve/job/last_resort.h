#pragma once
// Ends a process whose threads do not end.
#include <chrono>
#include <functional>
#include <memory>

namespace hexapla::serve {

// From now on SIGTERM or SIGINT starts a countdown on a thread of its own, beside what else obeys these signals;
// a second one shortens it. If the object still lives when it is over, calls end(), which must not return.
class LastResort {
 public:
  LastResort(std::chrono::milliseconds after, std::chrono::milliseconds after_second, std::function<void()> end);
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hexapla::serve
