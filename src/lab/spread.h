#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "report/chart.h"

namespace hexapla::lab {

// What several seeds measured of one thing.
struct Spread {
  double mean = 0, least = 0, most = 0;
};
// InternalError: no values.
Spread spread_of(const std::vector<double>& values);
// "0.412 (0.398 to 0.431)"; of one seed "0.412".
std::string show(const Spread& s, int digits);
// A point of a curve with its error bar: adds the mean at x, and the lowest and highest.
void add_point(double x, const Spread& s, report::Series& to);

// Two ways to have something, one value per seed, are told apart only where every seed of one is better than every seed
// of the other. Two that do not differ at all are told apart in this share of the cases, 2 / (a + b over a): 1 / 3 with
// two seeds each, 1 / 10 with three, 1 / 35 with four. InternalError: one of them has no seed.
double false_positives(size_t a, size_t b);
// The text of every page about that rule, for this many seeds each.
std::string rule_of_comparison(int64_t seeds);

enum class Verdict { none, first, second, not_apart };  // none: a side has one seed, which says nothing of others
// Compares two ways to have something where less is better.
Verdict judge(const std::vector<double>& a, const std::vector<double>& b);
// The same in words: "every seed is better " and of_a or of_b; "not told apart"; or "one seed, no verdict".
std::string compare(const std::vector<double>& a, const std::string& of_a, const std::vector<double>& b,
                    const std::string& of_b);
// The same for a claim that something helps: "every seed is better without it, against the claim".
std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it);
// Values to hand to these: negated where more is better; with `failed` more seeds whose losses were not finite, so that
// every loss is better than theirs.
std::vector<double> negative(std::vector<double> values);
std::vector<double> with_failed(std::vector<double> losses, int64_t failed);

}  // namespace hexapla::lab
