#pragma once
// Several processes that work on one thing, on one machine or on many, and what they say to each other. All of them
// make the same calls in the same order.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hexapla::cluster {

struct Outgoing {
  int to;
  const void* bytes;
  size_t size;
};
struct Incoming {
  int from;
  void* bytes;
  size_t size;  // as the sender says
};

// Memory for the messages of exchanges that come again and again: it grows at the first of them.
struct Room {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  std::vector<std::vector<char>> bytes;
  void clear() { out.clear(), in.clear(); }
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual int number() const = 0;  // of this one, from 0
  virtual int count() const = 0;
  virtual std::string host() const = 0;  // of this one
  // Returns when all of it is done. By one thread at a time. What one process sends another arrives in the
  // order in which it was sent. RunError where another process cannot be reached any more.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  // The same by a thread beside those that compute: while it waits, it leaves them the cores.
  virtual void exchange_beside(std::span<const Outgoing> out, std::span<const Incoming> in) { exchange(out, in); }
  // Whether another thread than the first may exchange.
  virtual bool by_any_thread() const { return true; }

  bool first() const { return number() == 0; }
  bool several() const { return count() > 1; }
};

// Siblings: one process has nobody to talk to.
class Alone final : public Processes {
 public:
  int number() const override { return 0; }
  int count() const override { return 1; }
  std::string host() const override;
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
};
Processes& alone();

// "process 2 of 4 (host)", numbered from 1 as people count.
std::string name_of(const Processes& processes, int number, const std::string& host);
std::string name_of(const Processes& processes);

// A share of n things in a row, [from, to): of each process, or of each shard. All shares together are everything.
struct Share {
  int64_t from, to;
  int64_t size() const { return to - from; }
};
inline Share share_of(int64_t n, int64_t i, int64_t of) { return {n * i / of, n * (i + 1) / of}; }
inline Share own_share(const Processes& p, int64_t n) { return share_of(n, p.number(), p.count()); }

// What each process says, in the order of their numbers: the same in all of them.
std::vector<std::string> gather(Processes& processes, const std::string& own);
// The same where all know how much each says (sizes, in bytes): `all` has everyone's words in a row, before that the
// own ones, in their place.
void gather_known(Processes& processes, std::span<const size_t> sizes, char* all, Room& room);
// What the first one says; the others' words do not count.
std::string of_first(Processes& processes, const std::string& own);
int64_t of_first(Processes& processes, int64_t own);
// The bytes of the first one become everyone's.
void spread(Processes& processes, void* bytes, size_t size);
// Nobody returns before all have called it.
void wait_for_all(Processes& processes);

// Several texts as one, and back.
std::string pack(const std::vector<std::string>& texts);
std::vector<std::string> unpack(const std::string& packed);

}  // namespace hexapla::cluster
