#pragma once
// What a run tells whoever watches it.
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/memory/memory_plan.h"

namespace hexapla::train {

struct TrainStart {
  std::vector<std::pair<std::string, int64_t>> parts;  // parameters of each part of the model
  int64_t parameters = 0, examples = 0, batches = 0;   // of an epoch
  int64_t batch_tokens = 0, valid_examples = 0;  // pairs to validate on; the loss is that of those within max-length
  MemoryPlan memory;
  size_t memory_limit = 0;  // bytes
  int64_t resumed_at = 0;   // update; 0: from the beginning
  std::string backend;
  std::vector<std::string> unknown;  // of each set of training and validation, how many tokens are
};
struct TrainReport {  // one line of DIR/train.jsonl
  int64_t update = 0, epoch = 1;
  double loss = 0;  // label-smoothed, a target token, since the last report
  double lr = 0, gradient_norm = 0;
  std::optional<double> alignment_loss;  // of a guided run: a linked target token, in the last update
  std::optional<double> divergence;      // with R-Drop: of the two passes, a target token, in the last update
  std::optional<double> load_balancing;  // with experts: what their load added to the loss, in the last update
  int64_t target_tokens = 0;             // since the beginning of the run
  double tokens_per_second = 0;
  double progress = 0;       // of the nearest limit, 0 .. 1
  double seconds_left = -1;  // -1: no limit was given
};
struct ValidScores {
  double loss = 0, perplexity = 0;  // perplexity: exp of the unsmoothed loss a token
  std::optional<double> bleu, chrf;
  std::optional<double> script;  // of `valid-script`, over all sets; none where it failed
};
struct Validation : ValidScores {  // over the lines of all sets together
  int64_t update = 0, epoch = 1;
  std::vector<std::pair<std::string, ValidScores>> sets;  // by name, where there are several
  std::string signature;                                  // of BLEU
  double characters_a_word = 0;                           // of the references, words as BLEU has them
  std::string script_problem;                             // why there is no score of the script
  bool best = false;                                      // by `best-by`
  int64_t stalled = 0;                                    // validations since the best one
  std::vector<std::array<std::string, 3>> examples;       // source, reference, hypothesis: the same pairs every time
};

class TrainWatcher {
 public:
  virtual ~TrainWatcher() = default;
  virtual void note(const std::string&) {}  // a warning to show
  virtual void started(const TrainStart&) {}
  virtual void running(const TrainReport&) {}  // between reports, some times a second: for what is rewritten
  virtual void updated(const TrainReport&) {}
  virtual void validated(const Validation&) {}
  virtual void saved(int64_t /*update*/, const std::string& /*path*/) {}
};

}  // namespace hexapla::train
