#include "train/cluster/slices.h"

#include <cstring>

#include "base/error.h"

namespace hexapla::train::cluster {
namespace {

constexpr int64_t kUsualBlocks = 1024, kLine = 16;  // values in 64 bytes
constexpr int64_t kFewestBlocks = 4;                // per process in a segment: limits the ratio of shares to 5/4

size_t bytes_of_numbers(int64_t n) { return static_cast<size_t>(n) * sizeof(float); }

// How many of the first n blocks the first few of `of` processes get if blocks are dealt in turn.
int64_t dealt(int64_t n, int64_t first_processes, int64_t of) {
  return n / of * first_processes + std::min(n % of, first_processes);
}

}  // namespace

Slices::Slices(int64_t numbers, int of, std::span<const int64_t> starts)
    : numbers_(numbers),
      block_(std::max(kLine, (numbers + kUsualBlocks * kLine - 1) / (kUsualBlocks * kLine) * kLine)),
      of_(of) {
  for (const int64_t start : starts) {
    const int64_t end = std::min((start + block_ - 1) / block_, blocks());
    HEXAPLA_CHECK(end >= (ends_.empty() ? 0 : ends_.back()), "segments that begin at ", start, " are not in order");
    ends_.push_back(end);
  }
  ends_.push_back(blocks());
  for (int s = segments() - 1; s > 0; --s)
    if (blocks_in(s).size() < kFewestBlocks * of) ends_[static_cast<size_t>(s) - 1] = ends_[s];
}

// Each process gets as many blocks of a segment as if all blocks of the array were dealt in turn,
// but contiguous ones. So slice sizes differ by at most one block, however small the segments are.
Share Slices::blocks_of(int process, int segment) const {
  const Share all = blocks_in(segment);
  const auto before = [&](int processes) { return dealt(all.to, processes, of_) - dealt(all.from, processes, of_); };
  return {all.from + before(process), all.from + before(process + 1)};
}

int64_t Slices::largest(int segment) const {
  int64_t most = 0;
  for (int process = 0; process < of_; ++process) most = std::max(most, of(process, segment).size());
  return most;
}

std::vector<Share> Slices::of(int process) const {
  std::vector<Share> shares;
  for_some_of(process, 0, numbers_, [&](const Share& share) {
    if (!shares.empty() && shares.back().to == share.from)
      shares.back().to = share.to;
    else
      shares.push_back(share);
  });
  return shares;
}

int64_t Slices::blocks_of(int process) const {
  return dealt(blocks(), process + 1, of_) - dealt(blocks(), process, of_);
}

int64_t Slices::size_of(int process) const {
  int64_t size = 0;
  for (int s = 0; s < segments(); ++s) size += of(process, s).size();
  return size;
}

int64_t Slices::largest() const {
  int64_t most = 0;
  for (int process = 0; process < of_; ++process) most = std::max(most, size_of(process));
  return most;
}

void complete(Processes& p, const Slices& slices, float* array, Room& room) {
  if (!p.several()) return;
  for (int64_t at = 0, largest = slices.largest(); at < largest; at += kCompletedAtOnce) {
    room.clear();
    for (int other = 0; other < p.count(); ++other) {
      if (other == p.number()) continue;
      slices.for_some_of(p.number(), at, kCompletedAtOnce, [&](const Share& own) {
        room.out.push_back({other, array + own.from, bytes_of_numbers(own.size())});
      });
      slices.for_some_of(other, at, kCompletedAtOnce, [&](const Share& theirs) {
        room.in.push_back({other, array + theirs.from, bytes_of_numbers(theirs.size())});
      });
    }
    p.exchange(room.out, room.in);
  }
}

void collect(Processes& p, const Slices& slices, const float* own, float* whole) {
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (const Share& mine : slices.of(p.number())) {
    if (p.first())
      std::memcpy(whole + mine.from, own, bytes_of_numbers(mine.size()));
    else
      out.push_back({0, own, bytes_of_numbers(mine.size())});
    own += mine.size();
  }
  for (int other = 1; p.first() && other < p.count(); ++other)
    for (const Share& theirs : slices.of(other))
      in.push_back({other, whole + theirs.from, bytes_of_numbers(theirs.size())});
  p.exchange(out, in);
}

}  // namespace hexapla::train::cluster
