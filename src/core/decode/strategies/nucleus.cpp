#include "decode/strategies/nucleus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hexapla::decode {

size_t nucleus_size(std::span<const double> weights, double top_p, double total) {
  double sum = 0;
  size_t n = 0;
  while (n < weights.size() && sum < top_p * total) sum += weights[n++];
  return n;
}

std::vector<TokenShare> nucleus(std::span<const double> log_p, double temperature, double top_p,
                                const SpecialIds& special) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < std::ssize(log_p); ++id)
    if (special.writable(id)) ids.push_back(id);
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return log_p[a] > log_p[b]; });
  std::vector<double> weights;  // relative to the best token's
  for (const int32_t id : ids) weights.push_back(std::exp((log_p[id] - log_p[ids[0]]) / temperature));
  weights.resize(nucleus_size(weights, top_p, std::accumulate(weights.begin(), weights.end(), 0.0)));
  const double kept = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<TokenShare> shares;
  for (size_t i = 0; i < weights.size(); ++i) shares.push_back({ids[i], weights[i] / kept});
  return shares;
}

}  // namespace hexapla::decode
