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

// Two ways to have something of which less is better: "every seed is better " and of_a or of_b; "the seeds overlap,
// .."; or "with one seed, nothing says ..".
std::string compare(const std::vector<double>& a, const std::string& of_a, const std::vector<double>& b,
                    const std::string& of_b);
// The same for a claim that something helps: "every seed is better without it, against the claim".
std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it);

}  // namespace hexapla::lab
