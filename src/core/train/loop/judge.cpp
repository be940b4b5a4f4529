#include "train/loop/judge.h"

namespace hexapla::train {

Judge::Judge(const TrainOptions& options, std::span<const std::string> references, Note note)
    : options_(options), note_(std::move(note)) {
  if (options.best_by == "auto") deciding_.emplace(references, options.valid_tokenize);
}

void Judge::explain() const {
  if (deciding_ && !deciding_->why().empty()) note_(deciding_->why());
}

std::optional<Standing> Judge::standing(Validation& v) const {
  v.compared_by = deciding_ ? deciding_->metric_of(v) : options_.best_by;
  return standing_of(v, v.compared_by);
}

// A model that is behind the best one by no more than noise counts neither for nor against it: a lucky score would
// otherwise end a run that still improves.
void Judge::count(const Standing& own, bool best, RunState& state) const {
  if (!best && is_noise(own, *state.best)) return;
  state.worse_validations = best ? 0 : state.worse_validations + 1;
  if (options_.schedule == "plateau" && state.update >= options_.warmup)
    state.plateau.validated(best, options_.plateau_patience, options_.plateau_factor);
}

// While the learning rate rises from 0, all models are about equal: the latest of equal ones is the best, and none
// counts for `patience`. Without a score, because the script failed, a model counts as neither better nor worse.
void Judge::judge(Validation& v, RunState& state) {
  if (!v.script_problem.empty())
    note_(cat("update ", v.update, ": `valid-script` ", options_.valid_script, " ", v.script_problem,
              "; training goes on without its score"));
  if (!deciding_ || deciding_->metric() == "bleu")
    if (const auto n = silent_bleu_.seen(*v.bleu, *v.chrf, v.characters_a_word, options_.valid_tokenize); !n.empty())
      note_(n);
  v.stalled = state.worse_validations;
  const std::optional<Standing> own = standing(v);
  if (!own) return;
  const bool rising = options_.init_from.empty() && state.update < options_.warmup;
  v.best = !state.best || is_better(*own, *state.best) || (rising && !is_better(*state.best, *own));
  if (v.best) state.best = own, state.best_update = v.update;
  count(*own, v.best, state);
  if (rising) state.worse_validations = 0;
  v.stalled = state.worse_validations;
}

}  // namespace hexapla::train
