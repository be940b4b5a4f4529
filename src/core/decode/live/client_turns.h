#pragma once
// Chooses the next waiting sentence if several clients share the loops.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace hexapla::decode {

// Clients take turns, one sentence each. A step takes longer with more sentences, so while several
// clients are active, each may have only a few sentences in progress, and a client that asks for
// little gets steps nearly as short as if it were alone. A single client may use everything.
class ClientTurns {
 public:
  using Clock = std::chrono::steady_clock;
  // Sentences in progress per client and loop while several clients are active (docs/adr/0055).
  static constexpr size_t kTurnsBesideOthers = 2;
  static constexpr std::chrono::seconds kPresentFor{1};  // time since its last sentence

  void add(uint64_t client, size_t name, Clock::time_point now);
  // The sentence whose turn it is, now in progress; none if nothing waits or only clients that have
  // their share. loops: number of loops that serve the queue.
  std::optional<size_t> next(size_t loops, Clock::time_point now);
  // Removes a waiting sentence; returns whether it was waiting.
  bool forget(uint64_t client, size_t name);
  void ended(uint64_t client);  // one of its sentences in progress
  std::deque<size_t> forget_all();

  size_t waiting() const { return waiting_; }
  // Whether more than `count` sentences may be in progress together.
  bool more_than(size_t count, size_t loops, Clock::time_point now) const;

 private:
  struct Client {
    std::deque<size_t> waiting;
    size_t on_their_way = 0;
  };
  using Clients = std::unordered_map<uint64_t, Client>;

  size_t share(size_t loops, Clock::time_point now) const;
  void left(Clients::iterator client);

  Clients clients_;             // with sentences waiting or in progress
  std::deque<uint64_t> turns_;  // with sentences waiting
  size_t waiting_ = 0;
  uint64_t last_client_ = 0;
  Clock::time_point last_time_{};      // when it last added a sentence
  Clock::time_point several_until_{};  // until then, several clients count as active
};

}  // namespace hexapla::decode
