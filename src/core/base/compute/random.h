#pragma once
// Counter-based random numbers: each number is a function of its name (seed, step, tensor,
// element), not of earlier calls. So dropout does not depend on threads, and a resumed run draws
// the same numbers as an uninterrupted one.
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace hexapla {

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * counter[0], b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// A sequence of random numbers for host-side work: initialization, shuffling, synthetic corpora.
class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  uint32_t next() {
    if (at_ == 4) {
      block_ = philox({static_cast<uint32_t>(count_), static_cast<uint32_t>(count_ >> 32),
                       static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
                      {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
      ++count_;
      at_ = 0;
    }
    return block_[at_++];
  }
  // In [0, n), for n >= 1, with negligible bias (n far below 2^32).
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{next()} * n) >> 32); }
  // In (0, 1).
  double uniform() { return (next() + 0.5) * 0x1p-32; }
  double normal() {  // Box-Muller
    const double r = std::sqrt(-2 * std::log(uniform()));
    return r * std::cos(6.283185307179586 * uniform());
  }
  // Fisher-Yates, the same on every platform (std::shuffle is not).
  template <class Items>
  void shuffle(Items& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(static_cast<uint32_t>(i))]);
  }

 private:
  uint64_t seed_, stream_, count_ = 0;
  std::array<uint32_t, 4> block_{};
  int at_ = 4;
};

}  // namespace hexapla
