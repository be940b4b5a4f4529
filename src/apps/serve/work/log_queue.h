#pragma once
// A log that nobody waits for.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace hexapla::serve {

class LogQueue {
 public:
  // write: called with each line on a thread of its own, and may block. None: there is no log.
  explicit LogQueue(std::function<void(const std::string& line)> write);
  // Writes what is left. A log that is stuck is left alone after a second; write() may then return later.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  bool on() const { return thread_.joinable(); }
  // From any thread; never waits. Drops the line if too many bytes are waiting; a line of the log then tells how many
  // were dropped.
  void add(std::string line);
  // The same for a line that takes long to make: make() is called on the log's thread. bytes: what it keeps until then.
  void add(std::size_t bytes, std::function<std::string()> make);
  std::uint64_t dropped() const;

  static constexpr std::size_t kMostBytes = 8 << 20;

 private:
  struct State;
  static void work(State& state);

  const std::shared_ptr<State> state_;  // shared with the thread, which may be stuck
  std::thread thread_;
};

}  // namespace hexapla::serve
