#include "lab/spread.h"

#include <fmt/format.h>

#include <algorithm>
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

std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it) {
  const Spread a = spread_of(with), b = spread_of(without);
  if (std::min(with.size(), without.size()) < 2) return "with one seed, nothing says whether that is more than chance";
  if (below(a, b)) return cat("every seed is better with ", it);
  if (below(b, a)) return cat("every seed is better without ", it, ", against the claim");
  return "the seeds overlap: these runs do not tell them apart";
}

}  // namespace hexapla::lab
