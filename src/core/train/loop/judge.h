#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "train/measure/deciding.h"
#include "train/measure/valid_tokenizer.h"
#include "train/record/run_state.h"

namespace hexapla::train {

// Decides whether a validated model is the best so far, for everything that asks: the best model, `patience`, the
// plateau schedule, `average-best`, and the end of the run.
class Judge {
 public:
  using Note = std::function<void(const std::string&)>;
  // references: of the validation sets. The options must outlive it.
  Judge(const TrainOptions& options, std::span<const std::string> references, Note note);

  void explain() const;  // notes which score decides, and why, unless it is BLEU or the user's choice

  // Sets compared_by. None if there is no score: the script failed.
  std::optional<Standing> standing(Validation& v) const;
  // Sets what the validation says about the best model, and updates the state.
  void judge(Validation& v, RunState& state);

 private:
  void count(const Standing& own, bool best, RunState& state) const;  // for `patience` and the plateau
  const TrainOptions& options_;
  Note note_;
  std::optional<Deciding> deciding_;  // with `best-by` auto
  SilentBleu silent_bleu_;
};

}  // namespace hexapla::train
