#pragma once
// Predicts the time of an update by N processes from one process's measurements and communication
// cost. Messages and their order are those of train/shards (docs/scale.md).
#include <cstdint>
#include <vector>

#include "train/cluster/processes.h"
#include "train/scale/network.h"

namespace hexapla::train::scale {

// The components of an update on one process.
struct Work {
  int64_t numbers = 0;                  // parameters
  int64_t tokens = 0;                   // target tokens in a process's batches
  std::vector<double> steps;            // seconds of forward and backward, per measurement
  double add = 0;                       // seconds per value: adding one array to another
  double optimize = 0;                  // seconds per value: norm and Adam
  std::vector<cluster::Share> rounded;  // values that are returned as bf16
  double round = 0;                     // seconds per such value
  std::vector<int64_t> starts;          // where segments start, except the first: train/cluster/slices.h
  // Per segment: the fraction of a step after which its gradients are final.
  std::vector<double> finals{1};
  int threads = 1;  // compute threads per process
};

// When are a segment's gradients summed: after the step, or during it, as soon as they are final
// and the sum of the following segment has ended? Core time spent then delays the step, because its
// threads use all cores.
enum class Sums { behind_step, beside_step };

// Seconds of an update's phases, in order.
struct Predicted {
  double step = 0;      // forward and backward, mean
  double wait = 0;      // for the slowest process
  double sum = 0;       // of gradients: the part that remains after the step
  double optimize = 0;  // for the slice
  double gather = 0;    // for the parameters
  double total() const { return step + wait + sum + optimize + gather; }
};

// Expected maximum of n values drawn from these: sum of x_i ((i/m)^n - ((i-1)/m)^n), x sorted.
double mean_of_largest(std::vector<double> values, int n);

// For processes that compute one shard each.
Predicted simulate(const Work& work, const Network& network, int processes, Sums sums = Sums::behind_step);

// The same work with another number of tokens: scales steps in proportion and their spread by the
// square root, as for independently drawn sentences.
Work with_tokens(const Work& work, double tokens);

// Parallel efficiency: seconds of an update by one process divided by those by n.
double efficiency(const Work& work, const Network& network, int processes, Sums sums = Sums::behind_step);

// Fewest tokens per process that reach this efficiency, within 1 %; 0: not even 2^30 do.
double tokens_for(double wanted, const Work& work, const Network& network, int processes,
                  Sums sums = Sums::behind_step);
// Lowest bandwidth in bytes per second that reaches it, with the latencies of `network`, within 1
// %; 0: not even 10^12 does.
double bandwidth_for(double wanted, const Work& work, const Network& network, int processes,
                     Sums sums = Sums::behind_step);

}  // namespace hexapla::train::scale
