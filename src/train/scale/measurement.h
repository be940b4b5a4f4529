#pragma once
// Measures updates on the available processes: each working alone, and all training one model.
#include "backend/backend.h"
#include "train/feed/training_data.h"
#include "train/scale/simulation.h"

namespace hexapla::train::scale {

struct Workload {
  std::string preset = "tiny";
  int64_t vocabulary = 10000;     // pieces, for both sides
  int64_t tokens = 2048;          // target tokens per process's batch
  std::string precision = "f32";  // for products, f32 or bf16
  double seconds = 10;            // per measurement, approximately
};

// Pieces without meaning. size: at least 5.
text::Vocabulary made_up_vocabulary(int64_t size);
// Made-up pairs with the lengths of news text, and a vocabulary of load.vocabulary pieces.
train::TrainingData made_up_data(const Workload& load, uint64_t seed);

// All processes compute their own batches at the same time, so sharing cores, memory and caches
// counts, but messages do not. -> results of all, the same in each.
Work measure_work(const Workload& load, Backend& backend, cluster::Processes& processes);
// Mean seconds per update when all processes train one model; the same in each.
struct MeasuredUpdates {
  double all = 0;
  double gradient = 0;  // in the first process: step, wait and sum
  double update = 0;    // in the first process: norm, Adam and gather
};
MeasuredUpdates measure_updates(const Workload& load, Sums sums, Backend& backend, cluster::Processes& processes);

}  // namespace hexapla::train::scale
