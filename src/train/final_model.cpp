#include "train/final_model.h"

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "model/average.h"
#include "model/model_file.h"
#include "train/checkpoint.h"
#include "train/optimizer.h"

namespace hexapla {
namespace {

// The mean of one slab over several checkpoints, into `slab`.
void average_slab(const std::vector<LoadedCheckpoint>& checkpoints, const char* name, Tensor slab) {
  if (!slab) return;
  TensorMean mean;
  for (const LoadedCheckpoint& c : checkpoints) {
    c.read(name, slab);
    mean.add(slab);
  }
  mean.write(slab);
}

// A run that the clock ended cannot be repeated by the clock: what repeats it is the updates that it made.
Capsule make_capsule(const TrainOptions& options, const TrainingData& data, int64_t updates, const Backend& backend) {
  Capsule c{options,
            data.files,
            hash_hex(data.vocabulary->bytes()),
            build_text(),
            machine_text(backend.name(), options.precision),
            ""};
  if (options.max_minutes > 0) {
    c.options.max_updates = updates;
    c.options.max_minutes = 0;
  }
  const std::vector<std::string> same{"a"};
  if (!data.valid_source.empty()) c.metric = corpus_bleu(same, same, {}).signature;
  return c;
}

}  // namespace

void save_run_model(const std::string& path, Transformer& model, const TrainingData& data, const RunState& state,
                    const TrainOptions& options, const Backend& backend) {
  std::map<std::string, std::string> history{{"updates", cat(state.update)},
                                             {"epochs", cat(state.epoch)},
                                             {"target_tokens", cat(state.target_tokens)},
                                             {"examples", cat(data.train.size())},
                                             {"seed", cat(options.seed)},
                                             {"batch_tokens", cat(options.batch_tokens)},
                                             {"label_smoothing", cat(options.label_smoothing)},
                                             {"warmup", cat(options.warmup)},
                                             {"peak_lr", cat(make_schedule(options).peak)},
                                             {"average_last", cat(options.average_last)}};
  if (!options.guided_alignment.empty()) {
    history["guided_alignment_layer"] = cat(options.guided_layer());
    history["guided_alignment_head"] = cat(options.guided_alignment_head);
    history["guided_alignment_weight"] = cat(options.guided_alignment_weight);
  }
  if (state.best_bleu >= 0) history["best_valid_bleu"] = cat(state.best_bleu);
  history.merge(make_capsule(options, data, state.update, backend).to_history());
  save_model(path, model, {data.vocabulary->bytes(), data.vocabulary->bytes()}, history);
}

std::vector<int64_t> average_checkpoints(const std::string& folder, int64_t count, Parameters& parameters) {
  std::vector<int64_t> updates = list_checkpoints(folder);
  if (updates.empty()) throw RunError(cat("there is no checkpoint in ", folder, " to average"));
  if (static_cast<int64_t>(updates.size()) > count) updates.erase(updates.begin(), updates.end() - count);
  std::vector<LoadedCheckpoint> checkpoints;
  for (int64_t u : updates) checkpoints.push_back(load_checkpoint(folder, u));
  average_slab(checkpoints, "values", parameters.values());
  average_slab(checkpoints, "buffers", parameters.buffers());
  return updates;
}

void copy_model(const std::string& from, const std::string& to) { write_file_atomically(to, read_file(from)); }

}  // namespace hexapla
