#pragma once
// Events that a run reports to its watchers.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batches/unknown_tokens.h"
#include "train/plan/memory_plan.h"

namespace hexapla::train {

struct TrainStart {
  std::vector<std::pair<std::string, int64_t>> parts;  // parameters in each part of the model
  int64_t parameters = 0, examples = 0, batches = 0;   // per epoch
  int64_t batch_tokens = 0, valid_examples = 0;        // validation pairs; the loss covers those within max-length
  MemoryPlan memory;
  size_t memory_limit = 0;  // bytes
  int64_t resumed_at = 0;   // update; 0: from the start
  std::string backend;
  std::vector<std::pair<std::string, data::UnknownTokens>> unknown;  // of each training and validation set
};
struct TrainReport {  // one line of DIR/train.jsonl
  int64_t update = 0, epoch = 1;
  double loss = 0;  // label-smoothed, per target token, since the last report
  double lr = 0, gradient_norm = 0;
  std::optional<double> alignment_loss;  // guided runs: per linked target token, in the last update
  std::optional<double> load_balancing;  // experts: load balancing's share of the loss, in the last update
  int64_t target_tokens = 0;             // since the start of the run
  double tokens_per_second = 0;
  double progress = 0;       // toward the nearest limit, 0 .. 1
  double seconds_left = -1;  // -1: no limit was given
};
struct ValidScores {
  double loss = 0, perplexity = 0;  // perplexity: exp of the unsmoothed loss per token
  std::optional<double> bleu, chrf;
  std::optional<double> script;  // of `valid-script`, over all sets; none if it failed
};
struct Validation : ValidScores {  // over all sets together
  int64_t update = 0, epoch = 1;
  std::vector<std::pair<std::string, ValidScores>> sets;  // by name, if there are several
  std::string signature;                                  // of the BLEU score
  double characters_a_word = 0;                           // in the references, words as BLEU counts them
  std::string script_problem;                             // why the script gave no score
  std::map<std::string, std::vector<double>> resampled;   // bleu, chrf: on resamples of the lines, always the same ones
  int64_t bleu_matches = 0, chrf_matches = 0;             // n-grams of the order that has the fewest
  int64_t cost = 0;                                       // about as much work as training on so many target tokens
  std::string compared_by;                                // metric that decides whether it is the best one
  bool best = false;                                      // according to `best-by`
  int64_t stalled = 0;                                    // validations since the best one, worse by more than noise
  double length_ratio = 0;                                // words of the translations by those of the references
  double runaway = 0;                                     // share of translations that repeat themselves or do not end
  std::vector<std::array<std::string, 3>> examples;       // source, reference, hypothesis: always the same pairs
  std::vector<std::array<std::string, 3>> worst;          // those of the lowest chrF, worst first
};

class TrainWatcher {
 public:
  virtual ~TrainWatcher() = default;
  virtual void note(const std::string&) {}  // a warning for the user
  virtual void started(const TrainStart&) {}
  virtual void running(const TrainReport&) {}  // between reports, several times a second: for a progress line
  virtual void updated(const TrainReport&) {}
  virtual void validated(const Validation&) {}
  virtual void saved(int64_t /*update*/, const std::string& /*path*/) {}
};

}  // namespace hexapla::train
