#include "cluster/slices.h"

#include <algorithm>
#include <cstring>

namespace hexapla::cluster {
namespace {

constexpr int64_t about_so_many_blocks = 1024, line = 16;  // numbers in 64 bytes

size_t bytes_of_numbers(int64_t n) { return static_cast<size_t>(n) * sizeof(float); }

}  // namespace

Slices::Slices(int64_t numbers, int of)
    : numbers_(numbers),
      block_(std::max(line, (numbers + about_so_many_blocks * line - 1) / (about_so_many_blocks * line) * line)),
      of_(of) {}

Share Slices::of(int process) const {
  const Share blocks = blocks_of(process);
  return {std::min(blocks.from * block_, numbers_), std::min(blocks.to * block_, numbers_)};
}

Share Slices::some_of(int process, int64_t at, int64_t count) const {
  const Share slice = of(process);
  return {std::min(slice.from + at, slice.to), std::min(slice.from + at + count, slice.to)};
}

int64_t Slices::largest() const {
  int64_t most = 0;
  for (int process = 0; process < of_; ++process) most = std::max(most, of(process).size());
  return most;
}

void complete(Processes& p, const Slices& slices, float* array, Room& room) {
  if (!p.several()) return;
  for (int64_t at = 0; at < slices.largest(); at += completed_at_once) {
    const Share own = slices.some_of(p.number(), at, completed_at_once);
    room.clear();
    for (int other = 0; other < p.count(); ++other) {
      if (other == p.number()) continue;
      const Share theirs = slices.some_of(other, at, completed_at_once);
      if (own.size() > 0) room.out.push_back({other, array + own.from, bytes_of_numbers(own.size())});
      if (theirs.size() > 0) room.in.push_back({other, array + theirs.from, bytes_of_numbers(theirs.size())});
    }
    p.exchange(room.out, room.in);
  }
}

void collect(Processes& p, const Slices& slices, const float* own, float* whole) {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  const Share mine = slices.of(p.number());
  if (p.first())
    std::memcpy(whole + mine.from, own, bytes_of_numbers(mine.size()));
  else if (mine.size() > 0)
    out.push_back({0, own, bytes_of_numbers(mine.size())});
  for (int other = 1; p.first() && other < p.count(); ++other)
    if (const Share theirs = slices.of(other); theirs.size() > 0)
      in.push_back({other, whole + theirs.from, bytes_of_numbers(theirs.size())});
  p.exchange(out, in);
}

}  // namespace hexapla::cluster
