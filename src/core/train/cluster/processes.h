#pragma once
// Processes that cooperate, on one machine or several, and their communication. All make the same
// calls in the same order.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hexapla::train::cluster {

struct Outgoing {
  int to;
  const void* bytes;
  size_t size;
};
struct Incoming {
  int from;
  void* bytes;
  size_t size;  // must equal the sender's
};

// Reusable buffers for repeated exchanges; grow at the first one.
struct Room {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  std::vector<std::vector<char>> bytes;
  void clear() { out.clear(), in.clear(); }
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual int number() const = 0;  // of this process, from 0
  virtual int count() const = 0;
  virtual std::string host() const = 0;  // of this process
  // Returns when all transfers are complete. For one thread at a time. Messages between two
  // processes arrive in the order sent. RunError: another process is unreachable.
  virtual void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) = 0;
  // The same for a thread besides compute threads: leaves the cores to them while it waits.
  virtual void exchange_beside(std::span<const Outgoing> out, std::span<const Incoming> in) { exchange(out, in); }
  // May other threads than the first call exchange?
  virtual bool by_any_thread() const { return true; }

  bool first() const { return number() == 0; }
  bool several() const { return count() > 1; }
};

// Siblings: a single process has nobody to communicate with.
class Alone final : public Processes {
 public:
  int number() const override { return 0; }
  int count() const override { return 1; }
  std::string host() const override;
  void exchange(std::span<const Outgoing>, std::span<const Incoming>) override {}
};
Processes& alone();

// "process 2 of 4 (host)", numbered from 1.
std::string name_of(const Processes& processes, int number, const std::string& host);
std::string name_of(const Processes& processes);

// A range [from, to) of n items, belonging to a process or a shard. The shares together cover all
// items.
struct Share {
  int64_t from, to;
  int64_t size() const { return to - from; }
};
inline Share share_of(int64_t n, int64_t i, int64_t of) { return {n * i / of, n * (i + 1) / of}; }
inline Share own_share(const Processes& p, int64_t n) { return share_of(n, p.number(), p.count()); }

// Every process's text, in process order; the same in all.
std::vector<std::string> gather(Processes& processes, const std::string& own);
// The same if all know the sizes in bytes: `all` holds everyone's bytes in order; before the call,
// this process's own must be in place.
void gather_known(Processes& processes, std::span<const size_t> sizes, char* all, Room& room);
// The first process's value; the others' are ignored.
std::string of_first(Processes& processes, const std::string& own);
int64_t of_first(Processes& processes, int64_t own);
// Copies the first process's bytes to all.
void spread(Processes& processes, void* bytes, size_t size);
// Barrier: returns when all have called it.
void wait_for_all(Processes& processes);

// Joins several texts into one, and back.
std::string pack(const std::vector<std::string>& texts);
std::vector<std::string> unpack(const std::string& packed);

}  // namespace hexapla::train::cluster
