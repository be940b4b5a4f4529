#include "train/loop/run/final_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files/disk.h"
#include "base/files/file.h"
#include "evaluate/metrics/bleu.h"
#include "model/weights/average.h"
#include "model/weights/model_file.h"
#include "train/plan/options/schedule.h"
#include "train/record/best_files.h"
#include "train/record/checkpoint.h"

namespace hexapla::train {
namespace {

// Had the run already passed these limits when they were set?
bool past_limits(const TrainOptions& o, const RunState& s) {
  return (o.max_updates > 0 && s.update > o.max_updates) ||
         (o.max_epochs > 0 && (s.epoch > o.max_epochs || (s.epoch == o.max_epochs && !s.epoch_begins()))) ||
         (o.patience > 0 && s.worse_validations > o.patience);
}

// If the clock ended the run, or limits were lowered too late, the options cannot repeat it: record
// the updates made and the learning rates used instead.
Provenance make_provenance(const Trained& trained, const RunState& state) {
  const auto& [model, parameters, data, options, backend] = trained;
  const std::string &source = data.pairs.source.bytes(), &target = data.pairs.target.bytes();
  Provenance c{options,
               data.files,
               hash_of_vocabularies(source, target),
               build_text(),
               machine_text(backend.name(), options.precision),
               "",
               state.changed};
  if (given_vocabulary(options).empty()) {  // a resumed run keeps its folder's vocabulary, whatever is given
    c.options.text.source_normalization = data.pairs.source.normalization();
    c.options.text.target_normalization = data.pairs.target.normalization();
  }
  const bool past = past_limits(options, state);
  if (past || options.max_minutes > 0) {
    if (decays(options)) c.options.decay_updates = end_of_decay(options);
    c.options.max_updates = state.update;
    c.options.max_minutes = 0;
  }
  if (state.cooldown) {
    c.options.cooldown = state.cooldown.end - state.cooldown.from;
    c.options.decay_updates = state.cooldown.end;
  }
  if (past) c.options.max_epochs = c.options.patience = 0;
  const std::vector<std::string> same{"a"};
  if (!data.valid_source.empty())
    c.metric = evaluate::corpus_bleu(same, same, {.tokenize = options.valid_tokenize}).signature;
  return c;
}

// Checkpoints of earlier versions lack averaged statistics.
const char* statistics_beside(const std::string& name, const LoadedCheckpoint& c) {
  return name == "average" && c.tensors.find("average_buffers") ? "average_buffers" : "buffers";
}

}  // namespace

model::Usage usage_of_run(const TrainingData& data, const TrainOptions& options) {
  model::Usage usage = data.usage;
  if (!options.guided_alignment.empty()) {
    usage.alignment_layer = options.guided_layer();
    usage.alignment_head = options.guided_alignment_head;
  }
  return usage;
}

std::string Weights::text() const {
  if (!is_mean() || updates.size() == 1) return cat("model of update ", updates.front());
  const char* const of = kind == Kind::mean_of_best ? "best model" : "checkpoint";
  return cat("mean of the ", kind == Kind::mean_of_best ? "" : "last ", updates.size(), " ", of, "s");
}

void save_run_model(const std::string& path, const Trained& trained, const RunState& state, const Weights& weights) {
  const auto& [model, parameters, data, options, backend] = trained;
  std::map<std::string, std::string> history{
      {"updates", cat(state.update)},
      {"epochs", cat(state.epoch)},
      {"target_tokens", cat(state.target_tokens)},
      {"examples", cat(data.examples > 0 ? data.examples : data.pairs.store->pairs())},
      {"seed", cat(options.seed)},
      {"batch_tokens", cat(options.batch_tokens)},
      {"label_smoothing", cat(options.label_smoothing)},
      {"warmup", cat(options.warmup)},
      {"schedule", options.schedule},
      {"peak_lr", cat(peak_learning_rate(options))},
      {"average_last", cat(options.average_last)},
      {"weights", weights.text()}};
  if (weights.is_mean()) {
    history["averaged"] = cat(weights.updates.size());
    history["averaged_updates"] = fmt::format("{}", fmt::join(weights.updates, " "));
  }
  if (const auto& s = weights.standing) history["valid_" + s->metric] = cat(s->score);
  if (!options.guided_alignment.empty()) history["guided_alignment_weight"] = cat(options.guided_alignment_weight);
  if (options.accumulate > 1) history["accumulate"] = cat(options.accumulate);
  if (options.ema > 0) history["ema"] = cat(options.ema);
  if (options.weight_decay > 0) history["weight_decay"] = cat(options.weight_decay);
  if (options.average_best > 0) history["average_best"] = cat(options.average_best);
  if (!options.init_from.empty()) history["init_from"] = options.init_from;
  if (!options.freeze.empty()) history["frozen"] = options.freeze;
  if (const auto& best = state.best) history["best_valid_" + best->metric] = cat(best->score);
  make_folder(directory_of(path));
  history.merge(make_provenance(trained, state).to_history());
  trained.parameters.on_host([&] {
    model::save_model(path, trained.model,
                      {trained.data.pairs.source.bytes(), trained.data.pairs.target.bytes(),
                       usage_of_run(trained.data, trained.options)},
                      history);
  });
}

std::vector<int64_t> updates_of_mean(std::vector<int64_t> saved, int64_t now, int64_t most, int64_t warmup) {
  std::erase_if(saved, [&](int64_t update) {
    return update >= now || 4 * update < 3 * now || (now > warmup && update <= warmup);
  });
  saved.push_back(now);
  std::sort(saved.begin(), saved.end());
  saved.erase(std::unique(saved.begin(), saved.end()), saved.end());
  if (std::ssize(saved) > most) saved.erase(saved.begin(), saved.end() - most);
  return saved;
}

int64_t remove_out_of_reach(const std::string& folder, int64_t now, bool averages) {
  std::vector<int64_t> updates = list_checkpoints(folder);
  if (!updates.empty()) updates.pop_back();
  if (averages) std::erase_if(updates, [&](int64_t update) { return 4 * update >= 3 * now; });
  for (const int64_t update : updates) remove_checkpoint(folder, update);
  return std::ssize(updates);
}

void save_and_free_space(const std::string& folder, int64_t update, const CheckpointContent& content, bool averages) {
  try {
    save_checkpoint(folder, update, content);
  } catch (const NoSpaceError&) {
    if (remove_out_of_reach(folder, update, averages) == 0) throw;
    save_checkpoint(folder, update, content);
  }
}

MeanOfStates average_checkpoints(const std::string& folder, const std::vector<int64_t>& updates,
                                 const std::string& name, model::Parameters& parameters) {
  MeanOfStates result;
  model::TensorMean values, buffers;
  const Tensor value = parameters.gradients();  // no longer needed
  std::vector<float> buffer(parameters.buffers() ? static_cast<size_t>(parameters.buffers().size()) : 0);
  const Tensor buffer_view = Tensor::of(buffer.data(), {std::ssize(buffer)});
  for (const int64_t update : updates) {
    if (update == updates.back()) {
      values.add(parameters.values());
      if (parameters.buffers()) buffers.add(parameters.buffers());
    } else {
      try {
        const LoadedCheckpoint c = load_checkpoint(folder, update);
        c.read(name, value);
        if (parameters.buffers()) c.read(statistics_beside(name, c), buffer_view);
      } catch (const UserError& e) {
        result.missing.push_back(update);
        const auto on_disk = list_checkpoints(folder);
        if (std::binary_search(on_disk.begin(), on_disk.end(), update)) result.notes.push_back(e.what());
        continue;
      }
      values.add(value);
      if (parameters.buffers()) buffers.add(buffer_view);
    }
    result.updates.push_back(update);
  }
  values.write(parameters.values());
  if (parameters.buffers()) buffers.write(parameters.buffers());
  return result;
}

MeanOfStates average_best(const std::string& run, const std::vector<int64_t>& updates, model::Parameters& parameters) {
  MeanOfStates result;
  model::TensorMean values, buffers;
  for (const int64_t update : updates) {
    try {
      const model::LoadedModel m = model::load_model(best_model_path(run, update));
      values.add(m.parameters->values());
      if (m.parameters->buffers()) buffers.add(m.parameters->buffers());
      result.updates.push_back(update);
    } catch (const UserError& e) {
      result.missing.push_back(update);
      if (std::filesystem::exists(best_model_path(run, update))) result.notes.push_back(e.what());
    }
  }
  if (result.updates.empty()) return result;
  values.write(parameters.values());
  if (parameters.buffers()) buffers.write(parameters.buffers());
  return result;
}

}  // namespace hexapla::train
