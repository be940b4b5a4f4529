#pragma once
// Does a training fit into memory, and how large may its batches be?
#include "data/batches/batch_stream.h"
#include "model/weights/parameters.h"
#include "train/data/training_data.h"
#include "train/shards/update_batches.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

// The configuration of a model for these vocabularies. Two that differ cannot share an embedding: tied is no longer
// all.
model::Config with_vocabularies(model::Config c, const data::TrainingPairs& pairs);

// What training this model takes: weights, gradients, moments, working memory of the largest batch, data, what
// translating the validation sets and averaging models take beyond that, and the program itself. The same for any
// number of threads.
MemoryPlan plan_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                       const TrainOptions& options, UpdateStream& stream);

// Of such a plan: what translating the validation sets may take while the system has the arena's memory.
size_t memory_to_translate(const MemoryPlan& plan);

// Of an arena that holds this peak: its two stacks may not touch.
constexpr size_t capacity_for(size_t peak) { return peak + 64; }

// Where the plan is larger than options.memory allows, UsageError naming the number to change; RunError where it is
// larger than this process may have and no option says how much that is.
void check_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                  const TrainOptions& options, const MemoryPlan& plan);

// A capacity of the arena that is enough for every step and validation of that training: a batch with the most rows
// that one may have needs more than the largest of the first epoch, which is what the plan announces.
// Errors as check_memory.
size_t arena_bytes(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                   const TrainOptions& options, const MemoryPlan& plan);

// options with `--batch-tokens auto` replaced: by the batch size of the run that the folder holds, or else by the
// largest that fits into options.memory, at most the paper's 25,000 tokens. UsageError or RunError, as above,
// where not even 64 tokens fit.
TrainOptions with_batch_tokens(const TrainOptions& options, const TrainingData& data);

// options with the `decay-updates` of the run that the folder holds where none are given: they follow `max-updates`,
// but a learning rate does not change its course because a run is to go on for longer. The watcher is told.
TrainOptions with_decay_of_run(const TrainOptions& options, TrainWatcher& watcher);

// How many parameters each part of the model has, in the order of the model.
std::vector<std::pair<std::string, int64_t>> parameters_by_part(model::Transformer& model);

}  // namespace hexapla::train
