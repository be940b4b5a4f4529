#pragma once
#include <string>
#include <vector>

namespace hexapla::lab {

// What several seeds measured of one thing.
struct Spread {
  double mean = 0, least = 0, most = 0;
};
// InternalError: no values.
Spread spread_of(const std::vector<double>& values);
// "0.412 (0.398 to 0.431)"; of one seed "0.412".
std::string show(const Spread& s, int digits);
// Whether every seed of one lies below every seed of the other: then a table may say that it is lower.
inline bool below(const Spread& a, const Spread& b) { return a.most < b.least; }

// What lower is better in, measured with a mechanism and without it: in words, for a claim that it helps.
//   "every seed is better with it"; "every seed is better without it, against the claim"; "the seeds overlap, ..";
//   "with one seed nothing is said about their spread"
std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it);

}  // namespace hexapla::lab
