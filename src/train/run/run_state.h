#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/batches/batch_position.h"
#include "train/loop/schedule.h"
#include "train/outcome/best_models.h"

namespace hexapla::train {

// Where a run stands, beside its tensors: what a checkpoint must hold so that going on from it gives the bits that
// not stopping would have given.
struct RunState {
  int64_t update = 0;                // finished ones
  int64_t epoch = 0;                 // being trained, from 0
  data::BatchPosition position;      // of the next batch in this epoch, where an update has one shard
  int64_t target_tokens = 0;         // since the beginning
  double seconds = 0;                // spent since the beginning
  double loss_sum = 0;               // since the last report
  int64_t loss_tokens = 0;           // since the last report
  double mean_loss = 0;              // a token, of the last hundred updates or so
  std::optional<double> best_score;  // by `best-by`; none: not validated yet
  int64_t worse_validations = 0;     // since the best one
  Plateau plateau;                   // of `schedule` plateau
  BestModels best_models;            // of `average-best`

  // Of a run that has validated, which earlier versions did not say:
  int64_t best_update = 0;   // that best_score is of; 0: not known
  std::string measure;       // what the scores are by (measure_of(), train/provenance/resume_fingerprint.h)
  int64_t scores_since = 0;  // update since when; those of validations up to it are by other sets, another beam, ...

  // Where an update has several shards, in the middle of an epoch: the position of the next batch of each; none: it has
  // come to the end.
  std::vector<std::optional<data::BatchPosition>> places;
  bool epoch_begins() const { return position == data::BatchPosition{} && places.empty(); }

  // For a run with a time limit (train/loop/time_plan.h): the warm-up that was asked for, the one that fits, and how
  // the run ends.
  int64_t asked_warmup = 0, warmup = 0;
  Cooldown cooldown;

  // Updates whose checkpoints could not be written though the final mean may want them. Most runs have none, and their
  // checkpoints need not say so.
  std::vector<int64_t> lost_checkpoints;

  // The validation after this update was broken off: it comes first when the run goes on.
  bool validation_due = false;

  // "update 40: lr 0.005 -> 0.001; update 60: ...": where options changed that a run may go on with. A run that never
  // did so has none, and its checkpoints need not say so.
  std::string changed;

  // f(name, field) for each that every checkpoint has.
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
    f("best_score", s.best_score);
    f("worse_validations", s.worse_validations);
    f("plateau_scale", s.plateau.scale);
    f("plateau_stalled", s.plateau.stalled);
    f("best_models", s.best_models);
  }
  // Scores of another measure say nothing of those to come: the best model, the patience and the plateau begin anew.
  void forget_scores();

  std::map<std::string, std::string> to_strings() const;  // doubles exactly
  static RunState from_strings(const std::map<std::string, std::string>& strings,
                               const std::string& file);  // DataError
};

}  // namespace hexapla::train
