#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/drawing/chart.h"

namespace hexapla::lab {

// Values of one quantity over several seeds.
struct Spread {
  double mean = 0, least = 0, most = 0;
};
// InternalError: no values.
Spread spread_of(const std::vector<double>& values);
// "0.412 (0.398 to 0.431)"; for one seed "0.412".
std::string show(const Spread& s, int digits);
// Adds a point with error bar to a curve: the mean at x, and the lowest and highest value.
void add_point(double x, const Spread& s, inspect::Series& to);

// Two variants with one value per seed are told apart only if every seed of one beats every seed of
// the other. Equal variants are told apart by chance with probability 2 / (a + b over a): 1 / 3
// with two seeds each, 1 / 10 with three, 1 / 35 with four. InternalError: a side has no seed.
double false_positives(size_t a, size_t b);
// Text about this rule for reports, for this many seeds per side.
std::string rule_of_comparison(int64_t seeds);

enum class Verdict { none, first, second, not_apart };  // none: a side has only one seed, which is not enough
// Compares two variants; lower values are better.
Verdict judge(const std::vector<double>& a, const std::vector<double>& b);
// The verdict in words: "every seed is better " and of_a or of_b; "not told apart"; or "one seed,
// no verdict".
std::string compare(const std::vector<double>& a, const std::string& of_a, const std::vector<double>& b,
                    const std::string& of_b);
// The same for a claim that something helps: "every seed is better without it, against the claim".
std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it);
// Prepare values for these functions: negated if higher is better; extended by `failed` seeds that
// diverged, worse than every loss.
std::vector<double> negative(std::vector<double> values);
std::vector<double> with_failed(std::vector<double> losses, int64_t failed);

}  // namespace hexapla::lab
