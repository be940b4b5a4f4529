#pragma once
// The training loop: batches, updates, validation, checkpoints, resuming. Prints nothing: whoever runs it watches
// through a TrainWatcher.
#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "data/batch_stream.h"
#include "data/training_text.h"
#include "decode/translator.h"
#include "evaluate/bleu.h"
#include "model/transformer.h"
#include "train/capsule.h"
#include "train/memory_plan.h"
#include "train/options.h"

namespace hexapla {

class RunLock;  // train/checkpoint.h

// One of --valid-sets: so many of the validation lines, and of the examples that the loss is taken over.
struct ValidSet {
  std::string name;
  size_t lines = 0, examples = 0;
};

// What a run learns from and is measured on.
struct TrainingData {
  TrainingPairs pairs;  // with the vocabularies
  ShuffleSpace space{};
  std::vector<std::string> sets{};                             // names of the training sets, for messages
  std::vector<Example> valid{};                                // may be empty
  std::vector<std::string> valid_source{}, valid_reference{};  // detokenised text for BLEU
  std::vector<ValidSet> valid_sets{};                          // all of them in turn, in the order of the options
  std::vector<std::string> notes{};                            // what was dropped while reading
  std::map<std::string, std::string> identity{};               // of all that: a run is not resumed on other data
  std::vector<DataFile> files{};                               // that were read
  // Of the run's folder, from before anything was read there until the result is shown; train() takes one where there
  // is none.
  std::shared_ptr<const RunLock> lock{};
};

// Reads and checks the sets, trains or loads the vocabularies, and holds the lock of the run's folder from then on.
// UsageError (another run has the folder, ...), DataError, RunError.
TrainingData prepare_data(
    const TrainOptions& options, const ReadingProgress& progress = [](const char*, int64_t) {});

struct TrainStart {
  std::vector<std::pair<std::string, int64_t>> parts;  // parameters of each part of the model
  int64_t parameters = 0, examples = 0, batches = 0;   // of an epoch
  int64_t batch_tokens = 0, valid_examples = 0;
  MemoryPlan memory;
  size_t memory_limit = 0;  // bytes
  int64_t resumed_at = 0;   // update; 0: from the beginning
  std::string backend;
};
struct TrainReport {  // one line of DIR/train.jsonl
  int64_t update = 0, epoch = 1;
  double loss = 0;  // label-smoothed, a target token, since the last report
  double lr = 0, gradient_norm = 0;
  std::optional<double> alignment_loss;  // of a guided run: a linked target token, in the last update
  int64_t target_tokens = 0;             // since the beginning of the run
  double tokens_per_second = 0;
  double progress = 0;       // of the nearest limit, 0 .. 1
  double seconds_left = -1;  // -1: no limit was given
};
struct ValidScores {
  double loss = 0, perplexity = 0;  // perplexity: exp of the unsmoothed loss a token
  std::optional<double> bleu, chrf;
  std::optional<double> script;  // of --valid-script, over all sets; none where it failed
};
struct Validation : ValidScores {  // over the lines of all sets together
  int64_t update = 0, epoch = 1;
  std::vector<std::pair<std::string, ValidScores>> sets;  // by name, where there are several
  std::string signature;                                  // of BLEU
  double characters_a_word = 0;                           // of the references, words as BLEU has them
  std::string script_problem;                             // why there is no score of the script
  bool best = false;                                      // by --best-by
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

// Weights that contend to be the result of a run.
struct Contender {
  std::string what;             // "mean of the last 5 checkpoints", "best single model (update 1200)"
  std::optional<double> score;  // on the validation set, by --best-by
};

enum class TrainEnd { finished, interrupted };
struct TrainResult {
  TrainEnd end;
  int64_t updates = 0, epochs = 0;
  std::optional<double> best_score;     // by --best-by
  std::string model;                    // DIR/model.safetensors; empty when interrupted
  size_t peak_bytes = 0;                // of working memory that training took
  std::vector<Contender> contenders{};  // the one that the model is first; empty when interrupted
  std::vector<std::string> missing{};   // what could not be written, each in a few words; empty: nothing is
};

// RunError where something is missing, though there is a model: it says what the model is, what is missing and what to
// do. For whoever has shown the result.
void require_whole(const TrainResult& result);

// Trains until a limit of the options, or until `stop` becomes true (then it saves a checkpoint and returns). A run
// that finds checkpoints in its folder goes on from the newest valid one, to the same bits as if never interrupted.
// What cannot be written does not end a run: see TrainResult::missing. RunError where not even a model can be.
// UserError: options, data, files; RunError with update and lines if the loss is not a number.
TrainResult train(const TrainOptions& options, const TrainingData& data, Backend& backend, TrainWatcher& watcher,
                  const std::atomic<bool>& stop);

}  // namespace hexapla
