#include "train/scale/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "train/cluster/rounded.h"

namespace hexapla::train::scale {
namespace {

constexpr double kAtOnce = 1 << 17;  // values of a slice received at once: train/shards/segment_sum.cpp
constexpr double kMostTokens = 1 << 30, kFastest = 1e12, kSlowest = 1e3, kExactness = 1.01;

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

// Short all-to-all messages of each update: about the drawn batches, and the losses.
constexpr double kDrawn = 48, kLosses = 56;  // bytes per shard
double words(const Network& network, double others, double bytes) { return network.seconds(others, bytes * others); }

// Reduce-scatter of a segment: others' parts of this process's share arrive in rounds and are
// added.
double sum_of(const Work& work, const Network& network, const cluster::Slices& slices, int segment) {
  const double others = slices.processes() - 1;
  const auto share = static_cast<double>(slices.largest(segment)), rounds = std::ceil(share / kAtOnce);
  return rounds * network.seconds(others, 0) + others * share * (4 * network.per_byte + work.add);
}

// Core time for this, taken from a concurrent computation.
double core_of(const Work& work, const Network& network, const cluster::Slices& slices, int segment) {
  const double others = slices.processes() - 1;
  return others * static_cast<double>(slices.largest(segment)) * (4 * network.processor_per_byte + work.add);
}

// Sends each slice to all others in rounds; each takes as long as the busiest process.
double gather_of(const Work& work, const Network& network, const cluster::Slices& slices) {
  const int processes = slices.processes();
  const double others = processes - 1;
  double seconds = 0;
  for (int64_t at = 0, largest = slices.largest(); at < largest; at += cluster::kCompletedAtOnce) {
    double most = 0, least = std::numeric_limits<double>::infinity(), all = 0;
    for (int p = 0; p < processes; ++p) {
      const auto bytes = static_cast<double>(cluster::bytes_of_some(slices, p, at, work.rounded));
      most = std::max(most, bytes), least = std::min(least, bytes), all += bytes;
    }
    seconds += network.seconds(others, std::max(most * others, all - least));
  }
  double rounded = 0;
  for (const cluster::Share& share : work.rounded) rounded += static_cast<double>(share.size());
  return seconds + rounded * work.round;
}

// Smallest x in [low, high] for which a monotonic condition holds; 0 if it fails even for high.
template <class Holds>
double smallest(double low, double high, const Holds& holds) {
  if (!holds(high)) return 0;
  if (holds(low)) return low;
  while (high > low * kExactness) {
    const double middle = std::sqrt(low * high);
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double mean_of_largest(std::vector<double> values, int n) {
  HEXAPLA_CHECK(!values.empty() && n >= 1, "the largest of nothing");
  std::sort(values.begin(), values.end());
  const auto m = static_cast<double>(values.size());
  double sum = 0, before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double up_to = std::pow(static_cast<double>(i + 1) / m, n);
    sum += values[i] * (up_to - before);
    before = up_to;
  }
  return sum;
}

Predicted simulate(const Work& work, const Network& network, int processes, Sums sums) {
  const cluster::Slices slices(work.numbers, processes, work.starts);
  HEXAPLA_CHECK(processes >= 1 && static_cast<int>(work.finals.size()) == slices.segments() && !work.steps.empty(),
                "nothing to simulate");
  const auto numbers = static_cast<double>(work.numbers), p = static_cast<double>(processes);
  Predicted t;
  t.step = mean(work.steps);
  t.optimize = numbers / p * work.optimize;
  if (processes == 1) return t;
  t.wait = mean_of_largest(work.steps, processes) - t.step;
  // ended: end of the sums so far, from the start of the step; held_up: delay of the step caused by
  // them.
  double ended = sums == Sums::beside_step ? 0 : t.step, held_up = 0;
  for (int s = slices.segments() - 1; s >= 0; --s) {
    ended = std::max(ended, work.finals[s] * t.step + held_up) + sum_of(work, network, slices, s);
    if (ended < t.step + held_up) held_up += core_of(work, network, slices, s) / work.threads;
  }
  t.sum = std::max(held_up, ended - t.step) + words(network, p - 1, kDrawn) + words(network, p - 1, kLosses);
  t.optimize += words(network, p - 1, 8 * 1024 / p);  // the norm: one number per block
  t.gather = gather_of(work, network, slices);
  return t;
}

Work with_tokens(const Work& work, double tokens) {
  Work other = work;
  const double factor = tokens / static_cast<double>(work.tokens), center = mean(work.steps);
  other.tokens = std::llround(tokens);
  for (double& step : other.steps) step = std::max(0.0, factor * center + std::sqrt(factor) * (step - center));
  return other;
}

double efficiency(const Work& work, const Network& network, int processes, Sums sums) {
  return simulate(work, network, 1).total() / simulate(work, network, processes, sums).total();
}

double tokens_for(double wanted, const Work& work, const Network& network, int processes, Sums sums) {
  return smallest(1, kMostTokens, [&](double tokens) {
    return efficiency(with_tokens(work, tokens), network, processes, sums) >= wanted;
  });
}

double bandwidth_for(double wanted, const Work& work, const Network& network, int processes, Sums sums) {
  return smallest(kSlowest, kFastest, [&](double bandwidth) {
    Network faster = network;
    faster.per_byte = 1 / bandwidth;
    return efficiency(work, faster, processes, sums) >= wanted;
  });
}

}  // namespace hexapla::train::scale
