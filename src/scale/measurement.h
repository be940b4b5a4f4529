#pragma once
// How long updates take on the processes at hand: each working by itself, and all of them on one model.
#include "backend/backend.h"
#include "scale/simulation.h"
#include "train/data/training_data.h"

namespace hexapla::scale {

struct Workload {
  std::string preset = "tiny";
  int64_t vocabulary = 10000;     // pieces, of both sides
  int64_t tokens = 2048;          // target tokens of a process's batch
  std::string precision = "f32";  // of products, f32 or bf16
  double seconds = 10;            // of each measurement, about
};

// Made-up pairs with the lengths of news text, and a vocabulary of that size.
train::TrainingData made_up_data(const Workload& load, uint64_t seed);

// Each of these processes computes its own batches, all at the same time: what they share (cores, memory, caches)
// counts, messages do not. -> of all of them, the same in each.
Work measure_work(const Workload& load, Backend& backend, cluster::Processes& processes);
// Seconds of updates of one model by all of these processes, on the mean: the same in each.
struct MeasuredUpdates {
  double all = 0;
  double gradient = 0;  // of the first process: step, wait and sum
  double update = 0;    // of the first process: norm, Adam and gather
};
MeasuredUpdates measure_updates(const Workload& load, Sums sums, Backend& backend, cluster::Processes& processes);

}  // namespace hexapla::scale
