#include "lib/tune/halving.h"

#include <algorithm>

namespace hexapla::train::tune {
namespace {

size_t power_of_3(int64_t n) { return n <= 0 ? 1 : 3 * power_of_3(n - 1); }

// Training added by each rung, in units of the first: 1, 2, 6, 18 add up to 1, 3, 9, 27.
double weight(int64_t rung) { return rung == 0 ? 1 : 2 * static_cast<double>(power_of_3(rung - 1)); }

}  // namespace

size_t Ladder::candidates() const { return power_of_3(rungs - 1); }

size_t Ladder::planned(int64_t rung) const { return power_of_3(rungs - 1 - rung) + (rung > 0); }

Ladder make_ladder(double minutes) {
  Ladder ladder;
  for (Ladder next{3}; next.rungs <= 5 && seconds_of_rung(next, 0, next.candidates(), minutes * 60, 0) >= 90;
       ++next.rungs)
    ladder = next;
  return ladder;
}

std::vector<size_t> survivors(const std::vector<std::optional<double>>& losses) {
  std::vector<size_t> order;
  for (size_t i = 1; i < losses.size(); ++i)
    if (losses[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return *losses[a] < *losses[b]; });
  order.resize((order.size() + 2) / 3);
  if (!losses.empty() && losses.front()) order.push_back(0);
  std::sort(order.begin(), order.end());
  return order;
}

double seconds_of_rung(const Ladder& ladder, int64_t rung, size_t now, double left, double overhead) {
  double work = static_cast<double>(now) * weight(rung), times = static_cast<double>(now);
  for (int64_t later = rung + 1; later < ladder.rungs; ++later) {
    work += static_cast<double>(ladder.planned(later)) * weight(later);
    times += static_cast<double>(ladder.planned(later));
  }
  return std::max(0., left - overhead * times) / work * weight(rung);
}

}  // namespace hexapla::train::tune
