#pragma once
// Successive halving (Jamieson and Talwalkar 2016): all candidates are trained a little, the better third goes on three
// times as long, and so on.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hexapla::tune {

// How many candidates begin, and how many rungs there are: as many as leave each candidate of the first rung a
// minute and a half, but two rungs at least.
struct Ladder {
  int64_t rungs = 2;
  size_t candidates() const;           // of the first rung: 3 to the power of rungs - 1
  size_t planned(int64_t rung) const;  // that reach a rung, from 0, if none is out
};
Ladder make_ladder(double minutes);

// Those that go on after a rung: the first, the baseline, and of the others the best third, rounded up, by what was
// measured (lower is better; none: it is out). Indices, rising; of equal ones the first.
std::vector<size_t> survivors(const std::vector<std::optional<double>>& losses);

// How many seconds each of `now` candidates trains in a rung on top of what it has, so that all rungs from this one on
// fit into `left` seconds; overhead: of each candidate in each rung, beside its training. 0: there is no time left.
double seconds_of_rung(const Ladder& ladder, int64_t rung, size_t now, double left, double overhead);

}  // namespace hexapla::tune
