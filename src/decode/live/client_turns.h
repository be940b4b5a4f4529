#pragma once
// Which of the sentences that wait is next, where several clients share the loops.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace hexapla::decode {

// Clients have turns, one sentence each. A step takes the longer the more sentences are in it; so while several clients
// are there, none has more than a few on their way, and one that asks for little has steps that are about as short as
// if it were alone. A client that is alone has all.
class ClientTurns {
 public:
  using Clock = std::chrono::steady_clock;
  // Of a client and a loop at a time, while there are others (docs/adr/0078).
  static constexpr size_t beside_others = 2;
  static constexpr std::chrono::seconds there_for{1};  // since its last sentence

  void add(uint64_t client, size_t name, Clock::time_point now);
  // The sentence whose turn it is, from now on on its way; none: nobody waits, or only clients that have their share.
  // loops: that serve the queue.
  std::optional<size_t> next(size_t loops, Clock::time_point now);
  // Whether it waited until now.
  bool forget(uint64_t client, size_t name);
  void ended(uint64_t client);  // one that was on its way
  std::deque<size_t> forget_all();

  size_t waiting() const { return waiting_; }
  // Whether more than so many may be on their way together.
  bool more_than(size_t count, size_t loops, Clock::time_point now) const;

 private:
  struct Client {
    std::deque<size_t> waiting;
    size_t on_their_way = 0;
  };
  using Clients = std::unordered_map<uint64_t, Client>;

  size_t share(size_t loops, Clock::time_point now) const;
  void left(Clients::iterator client);

  Clients clients_;             // of which a sentence waits or is on its way
  std::deque<uint64_t> turns_;  // of those of which one waits
  size_t waiting_ = 0;
  uint64_t last_client_ = 0;
  Clock::time_point last_time_{};      // that this client has added one
  Clock::time_point several_until_{};  // clients are there
};

}  // namespace hexapla::decode
