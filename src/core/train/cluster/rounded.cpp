#include "train/cluster/rounded.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hexapla::train::cluster {
namespace {

// Rounds like the processor's instructions; NaN stays NaN.
uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}
float from_bf16(uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); }

// Calls f(part, whether it is rounded) for the parts of a range, in order.
template <class F>
void for_parts(const Share& numbers, std::span<const Share> rounded, F&& f) {
  int64_t at = numbers.from;
  auto next = std::upper_bound(rounded.begin(), rounded.end(), at,
                               [](int64_t place, const Share& part) { return place < part.to; });
  for (; at < numbers.to && next != rounded.end() && next->from < numbers.to; ++next) {
    if (next->from > at) f(Share{at, next->from}, false);
    const Share part{std::max(at, next->from), std::min(next->to, numbers.to)};
    f(part, true);
    at = part.to;
  }
  if (at < numbers.to) f(Share{at, numbers.to}, false);
}

// -> the end of what was written
char* encode(const float* array, const Share& numbers, std::span<const Share> rounded, char* to) {
  for_parts(numbers, rounded, [&](const Share& part, bool round) {
    if (!round) {
      to = std::copy_n(reinterpret_cast<const char*>(array + part.from),
                       static_cast<size_t>(part.size()) * sizeof(float), to);
      return;
    }
    for (int64_t i = part.from; i < part.to; ++i, to += sizeof(uint16_t)) {
      const uint16_t x = to_bf16(array[i]);
      std::memcpy(to, &x, sizeof(x));
    }
  });
  return to;
}

// -> the end of what was read
const char* decode(const char* from, const Share& numbers, std::span<const Share> rounded, float* array) {
  for_parts(numbers, rounded, [&](const Share& part, bool round) {
    if (!round) {
      const size_t bytes = static_cast<size_t>(part.size()) * sizeof(float);
      std::memcpy(array + part.from, from, bytes);
      from += bytes;
      return;
    }
    for (int64_t i = part.from; i < part.to; ++i, from += sizeof(uint16_t)) {
      uint16_t x = 0;
      std::memcpy(&x, from, sizeof(x));
      array[i] = from_bf16(x);
    }
  });
  return from;
}

}  // namespace

size_t bytes_rounded(const Share& numbers, std::span<const Share> rounded) {
  size_t bytes = 0;
  for_parts(numbers, rounded, [&](const Share& part, bool round) {
    bytes += static_cast<size_t>(part.size()) * (round ? sizeof(uint16_t) : sizeof(float));
  });
  return bytes;
}

size_t bytes_of_some(const Slices& slices, int process, int64_t at, std::span<const Share> rounded) {
  size_t bytes = 0;
  slices.for_some_of(process, at, kCompletedAtOnce, [&](const Share& some) { bytes += bytes_rounded(some, rounded); });
  return bytes;
}

// In rounds, so that received data needs little memory compared with the array.
void complete_rounded(Processes& p, const Slices& slices, std::span<const Share> rounded, float* array, Room& room) {
  if (!p.several()) return;
  std::vector<std::vector<char>>& texts = room.bytes;
  texts.resize(static_cast<size_t>(p.count()));
  for (int64_t at = 0, largest = slices.largest(); at < largest; at += kCompletedAtOnce) {
    room.clear();
    for (int process = 0; process < p.count(); ++process)
      texts[process].resize(bytes_of_some(slices, process, at, rounded));
    std::vector<char>& own = texts[p.number()];
    char* to = own.data();
    slices.for_some_of(p.number(), at, kCompletedAtOnce,
                       [&](const Share& some) { to = encode(array, some, rounded, to); });
    for (int other = 0; other < p.count(); ++other) {
      if (other == p.number()) continue;
      std::vector<char>& theirs = texts[other];
      if (!own.empty()) room.out.push_back({other, own.data(), own.size()});
      if (!theirs.empty()) room.in.push_back({other, theirs.data(), theirs.size()});
    }
    p.exchange(room.out, room.in);
    for (int other = 0; other < p.count(); ++other) {
      if (other == p.number()) continue;
      const char* from = texts[other].data();
      slices.for_some_of(other, at, kCompletedAtOnce,
                         [&](const Share& some) { from = decode(from, some, rounded, array); });
    }
  }
}

}  // namespace hexapla::train::cluster
