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

std::string compare(const std::vector<double>& a, const std::string& of_a, const std::vector<double>& b,
                    const std::string& of_b) {
  if (std::min(a.size(), b.size()) < 2) return "with one seed, nothing says whether that is more than chance";
  if (below(spread_of(a), spread_of(b))) return "every seed is better " + of_a;
  if (below(spread_of(b), spread_of(a))) return "every seed is better " + of_b;
  return "the seeds overlap: these runs do not tell them apart";
}

std::string verdict(const std::vector<double>& with, const std::vector<double>& without, const std::string& it) {
  return compare(with, "with " + it, without, "without " + it + ", against the claim");
}

}  // namespace hexapla::lab
