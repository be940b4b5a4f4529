#include "lab/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace hexapla::lab {

Spread spread_of(const std::vector<double>& values) {
  HEXAPLA_CHECK(!values.empty(), "a spread of nothing");
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), *least, *most};
}

std::string show(const Spread& s, int digits) {
  const std::string mean = fmt::format("{:.{}f}", s.mean, digits);
  if (s.least == s.most) return mean;
  return fmt::format("{} ({:.{}f} to {:.{}f})", mean, s.least, digits, s.most, digits);
}

void add_point(double x, const Spread& s, inspect::Series& to) {
  to.points.emplace_back(x, s.mean);
  to.bars.emplace_back(s.least, s.most);
}

// If nothing differs, all orders of the seeds are equally likely; in two of them, one side is
// entirely below the other.
double false_positives(size_t a, size_t b) {
  HEXAPLA_CHECK(std::min(a, b) > 0, "a comparison of ", a, " and ", b, " seeds");
  double orders = 1;
  for (size_t i = 1; i <= a; ++i) orders = orders * static_cast<double>(b + i) / static_cast<double>(i);
  return std::min(1.0, 2 / orders);
}

std::string rule_of_comparison(int64_t seeds) {
  if (seeds < 2) return "One seed: the numbers say nothing of other seeds, so nothing here is called better.";
  const auto n = static_cast<size_t>(seeds);
  return fmt::format(
      "Two are told apart only where every seed of one is better than every seed of the other. Two that do not differ "
      "at all would be told apart in one of {:.0f} comparisons of {} seeds with {}, and a page has many.",
      1 / false_positives(n, n), n, n);
}

Verdict judge(const std::vector<double>& a, const std::vector<double>& b) {
  if (std::min(a.size(), b.size()) < 2) return Verdict::none;
  const Spread first = spread_of(a), second = spread_of(b);
  if (first.most < second.least) return Verdict::first;
  return second.most < first.least ? Verdict::second : Verdict::not_apart;
}

std::string compare(const std::vector<double>& a, const std::string& of_a, const std::vector<double>& b,
                    const std::string& of_b) {
  const Verdict found = judge(a, b);
  if (found == Verdict::none) return "one seed, no verdict";
  return found == Verdict::not_apart ? "not told apart"
                                     : "every seed is better " + (found == Verdict::first ? of_a : of_b);
}

std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it) {
  return compare(with, "with " + it, without, "without " + it + ", against the claim");
}

std::vector<double> negative(std::vector<double> values) {
  for (double& v : values) v = -v;
  return values;
}

std::vector<double> with_failed(std::vector<double> losses, int64_t failed) {
  losses.insert(losses.end(), static_cast<size_t>(failed), std::numeric_limits<double>::infinity());
  return losses;
}

}  // namespace hexapla::lab
