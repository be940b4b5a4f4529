#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/batches/batch_position.h"
#include "train/plan/options/schedule.h"
#include "train/record/best_models.h"

namespace hexapla::train {

// State of a run besides its tensors: what a checkpoint must hold so that a resumed run is
// identical to one that never stopped.
struct RunState {
  int64_t update = 0;             // completed
  int64_t epoch = 0;              // current, from 0
  data::BatchPosition position;   // of the next batch in this epoch, with one shard per update
  int64_t target_tokens = 0;      // since the start
  double seconds = 0;             // of training since the start
  double loss_sum = 0;            // since the last report
  int64_t loss_tokens = 0;        // since the last report
  double mean_loss = 0;           // per token, over about the last hundred updates
  std::optional<Standing> best;   // model by `best-by`; none: not validated yet
  int64_t worse_validations = 0;  // since the best one
  Plateau plateau;                // of `schedule` plateau
  BestModels best_models;         // of `average-best`

  // For runs that have validated; earlier versions did not record these:
  int64_t best_update = 0;   // update of `best`; 0: unknown
  std::string measure;       // how the scores were measured (measure_of(), train/loop/run/resume_fingerprint.h)
  int64_t scores_since = 0;  // up to this update, scores used other sets, another beam, ...

  // With several shards per update, in the middle of an epoch: position of each shard's next batch;
  // none: the shard has reached its end.
  std::vector<std::optional<data::BatchPosition>> places;
  bool epoch_begins() const { return position == data::BatchPosition{} && places.empty(); }

  // For a run with a time limit (train/loop/time_plan.h): requested warm-up, fitting warm-up, and
  // cooldown.
  int64_t asked_warmup = 0, warmup = 0;
  Cooldown cooldown;

  // Updates whose checkpoints could not be written but may be wanted for the final mean. Stored
  // only if there are any.
  std::vector<int64_t> lost_checkpoints;

  // Validation after this update was interrupted: a resumed run starts with it.
  bool validation_due = false;

  // Target tokens at the last validation, checkpoint and report (train/loop/due.h). Stored only if there were any.
  int64_t tokens_validated = 0, tokens_saved = 0, tokens_reported = 0;
  int64_t validation_cost = 0;  // of the last validation, in target tokens of training; 0: none yet

  // Changes of options at resumption, "update 40: lr 0.005 -> 0.001; update 60: ...". Stored only
  // if there are any.
  std::string changed;

  // Calls f(name, field) for each field that every checkpoint stores.
  template <class Self, class F>
  static void visit(Self& s, F&& f) {
    f("update", s.update);
    f("epoch", s.epoch);
    f("place", s.position);
    f("target_tokens", s.target_tokens);
    f("seconds", s.seconds);
    f("loss_sum", s.loss_sum);
    f("loss_tokens", s.loss_tokens);
    f("mean_loss", s.mean_loss);
    f("best_score", s.best);
    f("worse_validations", s.worse_validations);
    f("plateau_scale", s.plateau.scale);
    f("plateau_stalled", s.plateau.stalled);
    f("best_models", s.best_models);
  }
  // Earlier versions stored scores without their metric, which is this one.
  void name_metric(const std::string& metric);
  // Scores by another measure are not comparable: restarts best model, patience and plateau.
  void forget_scores();

  std::map<std::string, std::string> to_strings() const;  // doubles are exact
  static RunState from_strings(const std::map<std::string, std::string>& strings,
                               const std::string& file);  // DataError
};

}  // namespace hexapla::train
