#pragma once
// Checks whether a training fits into memory, and how large its batches may be.
#include "data/batches/batch_stream.h"
#include "model/parameters/parameters.h"
#include "train/feed/training_data.h"
#include "train/feed/update_batches.h"
#include "train/plan/memory_plan.h"
#include "train/record/earlier_run.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {

// The configuration with these vocabularies. If the two differ, they cannot share an embedding:
// tied "all" becomes "decoder".
model::Config with_vocabularies(model::Config c, const data::TrainingPairs& pairs);

// Memory needed to train this model: weights, gradients, moments, working memory of the largest
// batch, data, the excess for translating the validation sets and averaging models, and the program
// itself. The same for any number of threads.
MemoryPlan plan_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                       const TrainOptions& options, UpdateStream& stream);

// Memory in the plan for translating the validation sets while the arena is released.
size_t memory_to_translate(const MemoryPlan& plan);

// If the plan exceeds options.memory: UsageError naming the number to change. If it exceeds the
// memory available to this process and no option sets a limit: RunError.
void check_memory(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                  const TrainOptions& options, const MemoryPlan& plan);

// Arena capacity that suffices for every step and validation of the training. A batch with the most
// rows possible needs more than the largest of the first epoch, which the plan reports. Errors as
// check_memory.
size_t arena_bytes(const model::Transformer& model, const model::Parameters& parameters, const TrainingData& data,
                   const TrainOptions& options, const MemoryPlan& plan);

// Returns the options with `--batch-tokens auto` resolved: to the batch size of the run in the
// folder, else the largest that fits into options.memory, at most the paper's 25,000 tokens.
// UsageError or RunError, as above, if not even 64 tokens fit.
TrainOptions with_batch_tokens(const TrainOptions& options, const std::optional<EarlierRun>& earlier,
                               const TrainingData& data);

// If `decay-updates` is not given, takes it from the run in the folder: by default it follows
// `max-updates`, but extending a run must not change its learning rate schedule. Tells the watcher.
TrainOptions with_decay_of_run(const TrainOptions& options, const std::optional<EarlierRun>& earlier,
                               TrainWatcher& watcher);

// Number of parameters in each part of the model, in model order.
std::vector<std::pair<std::string, int64_t>> parameters_by_part(model::Transformer& model);

}  // namespace hexapla::train
