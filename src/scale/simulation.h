#pragma once
// How long an update of N processes takes, from what one of them was measured to need and what messages cost. What is
// sent, and in which order, is that of train/shards (docs/scale.md).
#include <cstdint>
#include <vector>

#include "cluster/processes.h"
#include "scale/network.h"

namespace hexapla::scale {

// What an update is made of on one process.
struct Work {
  int64_t numbers = 0;                  // parameters
  int64_t tokens = 0;                   // target tokens of a process's batches
  std::vector<double> steps;            // seconds of forward and backward over them, each time it was measured
  double add = 0;                       // seconds a number: to add one array to another
  double optimize = 0;                  // seconds a number: norm and Adam
  std::vector<cluster::Share> rounded;  // of the numbers, what comes back as bf16 has it
  double round = 0;                     // seconds a number that does
  std::vector<int64_t> starts;          // of the segments of the numbers but the first: cluster/slices.h
  // Of each segment, the share of a step after which its gradients are final.
  std::vector<double> finals{1};
  int threads = 1;  // of a process, that compute
};

// When the gradients of a segment are added up: when the step is over, or while it goes on, when they are final and the
// sum of the segment behind it has ended. What a core works for that is then missing to the step: threads compute on
// all cores.
enum class Sums { behind_step, beside_step };

// Seconds of an update, in the order in which they pass.
struct Predicted {
  double step = 0;      // forward and backward, on the mean
  double wait = 0;      // for the slowest of all processes
  double sum = 0;       // of the gradients: what is left of it when the step is over
  double optimize = 0;  // of the slice
  double gather = 0;    // of the parameters
  double total() const { return step + wait + sum + optimize + gather; }
};

// The mean of the largest of n values drawn from these: sum of x_i ((i/m)^n - ((i-1)/m)^n), x sorted.
double mean_of_largest(std::vector<double> values, int n);

// Of processes that compute one shard each.
Predicted simulate(const Work& work, const Network& network, int processes, Sums sums = Sums::behind_step);

// The same work with another number of tokens: steps in proportion, and their spread with its square root, as if so
// many more sentences were drawn.
Work with_tokens(const Work& work, double tokens);

// How much of its work alone, per process: seconds of an update of one process by those of n.
double efficiency(const Work& work, const Network& network, int processes, Sums sums = Sums::behind_step);

// The fewest tokens of a process with which this efficiency is reached, to 1 %; 0: with no number up to 2^30.
double tokens_for(double wanted, const Work& work, const Network& network, int processes,
                  Sums sums = Sums::behind_step);
// The fewest bytes a second with which it is reached on links that have the latencies of `network`, to 1 %; 0: not even
// with 10^12.
double bandwidth_for(double wanted, const Work& work, const Network& network, int processes,
                     Sums sums = Sums::behind_step);

}  // namespace hexapla::scale
