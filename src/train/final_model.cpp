#include "train/final_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "model/average.h"
#include "model/model_file.h"
#include "train/checkpoint.h"
#include "train/schedule.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;

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

// Was the run past these limits already when it was given them?
bool past_limits(const TrainOptions& o, const RunState& s) {
  return (o.max_updates > 0 && s.update > o.max_updates) ||
         (o.max_epochs > 0 && (s.epoch > o.max_epochs || (s.epoch == o.max_epochs && s.place > 0))) ||
         (o.patience > 0 && s.worse_validations > o.patience);
}

// A run that the clock ended, or limits that were lowered too late, cannot be repeated by these: what repeats it is the
// updates that it made, with the learning rates that it had.
Capsule make_capsule(const TrainOptions& options, const TrainingData& data, const RunState& state,
                     const Backend& backend) {
  const std::string &source = data.pairs.source.bytes(), &target = data.pairs.target.bytes();
  const bool joint = source == target;
  Capsule c{options,
            data.files,
            hash_hex(joint ? source : source + target),
            build_text(),
            machine_text(backend.name(), options.precision),
            "",
            state.changed};
  if (given_vocabulary(options).empty()) {  // a run that goes on has that of its folder, whatever is asked for now
    c.options.text.source_normalization = data.pairs.source.normalization();
    c.options.text.target_normalization = data.pairs.target.normalization();
  }
  const bool past = past_limits(options, state);
  if (past || options.max_minutes > 0) {
    if (options.schedule == "linear" || options.schedule == "cosine") c.options.decay_updates = end_of_decay(options);
    c.options.max_updates = state.update;
    c.options.max_minutes = 0;
  }
  if (past) c.options.max_epochs = c.options.patience = 0;
  const std::vector<std::string> same{"a"};
  if (!data.valid_source.empty()) c.metric = corpus_bleu(same, same, {.tokenize = options.valid_tokenize}).signature;
  return c;
}

}  // namespace

void save_run_model(const std::string& path, Transformer& model, const TrainingData& data, const RunState& state,
                    const TrainOptions& options, const Backend& backend) {
  std::map<std::string, std::string> history{{"updates", cat(state.update)},
                                             {"epochs", cat(state.epoch)},
                                             {"target_tokens", cat(state.target_tokens)},
                                             {"examples", cat(data.pairs.store->pairs())},
                                             {"seed", cat(options.seed)},
                                             {"batch_tokens", cat(options.batch_tokens)},
                                             {"label_smoothing", cat(options.label_smoothing)},
                                             {"warmup", cat(options.warmup)},
                                             {"schedule", options.schedule},
                                             {"peak_lr", cat(peak_learning_rate(options))},
                                             {"average_last", cat(options.average_last)}};
  if (!options.guided_alignment.empty()) {
    history["guided_alignment_layer"] = cat(options.guided_layer());
    history["guided_alignment_head"] = cat(options.guided_alignment_head);
    history["guided_alignment_weight"] = cat(options.guided_alignment_weight);
  }
  if (options.accumulate > 1) history["accumulate"] = cat(options.accumulate);
  if (options.ema > 0) history["ema"] = cat(options.ema);
  if (options.weight_decay > 0) history["weight_decay"] = cat(options.weight_decay);
  if (options.average_best > 0) history["average_best"] = cat(options.average_best);
  if (!options.init_from.empty()) history["init_from"] = options.init_from;
  if (!options.freeze.empty()) history["frozen"] = options.freeze;
  if (state.best_score) history["best_valid_" + options.best_by] = cat(*state.best_score);
  if (const fs::path folder = fs::path(path).parent_path(); !fs::exists(folder)) {
    std::error_code error;
    fs::create_directory(folder, error);
    if (error) throw RunError(cat("cannot create the folder ", folder.string(), ": ", error.message()));
  }
  history.merge(make_capsule(options, data, state, backend).to_history());
  save_model(path, model, {data.pairs.source.bytes(), data.pairs.target.bytes()}, history);
}

std::vector<int64_t> average_checkpoints(const std::string& folder, int64_t count, const std::string& name,
                                         Parameters& parameters) {
  std::vector<int64_t> updates = list_checkpoints(folder);
  if (updates.empty()) throw RunError(cat("there is no checkpoint in ", folder, " to average"));
  if (static_cast<int64_t>(updates.size()) > count) updates.erase(updates.begin(), updates.end() - count);
  std::vector<LoadedCheckpoint> checkpoints;
  for (int64_t u : updates) checkpoints.push_back(load_checkpoint(folder, u));
  average_slab(checkpoints, name.c_str(), parameters.values());
  average_slab(checkpoints, "buffers", parameters.buffers());
  return updates;
}

std::string best_model_path(const std::string& run, int64_t update) {
  return fmt::format("{}/best/update-{:08}.safetensors", run, update);
}

void average_best(const std::string& run, const std::vector<int64_t>& updates, Parameters& parameters) {
  TensorMean values, buffers;
  for (const int64_t update : updates) {
    const LoadedModel m = load_model(best_model_path(run, update));
    values.add(m.parameters->values());
    if (m.parameters->buffers()) buffers.add(m.parameters->buffers());
  }
  values.write(parameters.values());
  if (parameters.buffers()) buffers.write(parameters.buffers());
}

void prune_best(const std::string& run, const std::vector<int64_t>& updates) {
  std::set<std::string> kept;
  for (const int64_t update : updates) kept.insert(fs::path(best_model_path(run, update)).filename());
  std::error_code none;  // no folder: nothing to remove
  for (const auto& file : fs::directory_iterator(run + "/best", none))
    if (!kept.contains(file.path().filename())) fs::remove(file.path(), none);
}

void copy_model(const std::string& from, const std::string& to) { write_file_atomically(to, read_file(from)); }

}  // namespace hexapla
