#pragma once
// Trains a model on parallel text from files or from the program.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"

namespace hexapla {

// Provides the next pair of sentences, each one line of UTF-8; returns false after the last one. An
// exception ends the call that requested the pair.
using PairSource = std::function<bool(std::string& source, std::string& target)>;

struct TrainingStart {
  std::int64_t parameters = 0;
  std::int64_t pairs = 0, batches = 0;  // per epoch
  std::int64_t validation_pairs = 0;
  std::int64_t resumed_at = 0;  // resumed at this update; 0: from the beginning
  std::string backend;
  // Shares of unknown tokens in a training or validation set, 0 to 1.
  struct UnknownTokens {
    std::string set;
    double source = 0, target = 0;
  };
  std::vector<UnknownTokens> unknown;
};
struct TrainingReport {
  std::int64_t update = 0, epoch = 1;
  double loss = 0;  // label-smoothed, per target token, since the last report
  double learning_rate = 0, gradient_norm = 0;
  std::int64_t target_tokens = 0;  // since the beginning of the run
  double tokens_per_second = 0;
  double progress = 0;       // towards the nearest limit, 0 to 1
  double seconds_left = -1;  // -1: unknown
};
struct ValidationReport {
  std::int64_t update = 0, epoch = 1;
  double loss = 0, perplexity = 0;
  std::optional<double> bleu, chrf;
  std::string signature;     // of the BLEU
  bool best = false;         // by the score that decides (`hexapla train --help`, best-by)
  std::int64_t stalled = 0;  // validations since the best one that were worse by more than noise
  struct Example {
    std::string source, reference, hypothesis;
  };
  std::vector<Example> examples;  // the same pairs every time
};

// Called from the training thread, between two steps; may call Trainer::stop(). An exception ends
// train() and propagates; the run can be resumed from its last checkpoint.
struct TrainingCallbacks {
  std::function<void(const TrainingStart&)> on_start;
  std::function<void(const TrainingReport&)> on_progress;  // a few times a second
  std::function<void(const TrainingReport&)> on_report;    // every report_every
  std::function<void(const ValidationReport&)> on_validation;
  std::function<void(std::int64_t update, const std::string& checkpoint)> on_checkpoint;  // its folder
  std::function<void(const std::string& text)> on_note;                                   // warnings
  std::function<void(const std::string& what, std::int64_t pairs)> on_reading;
};

struct TrainingResult {
  bool finished = false;  // false: stopped; train() continues there
  std::int64_t updates = 0, epochs = 0;
  std::optional<double> best_score;  // by the score that decides (`hexapla train --help`, best-by)
  std::string model;                 // DIR/model.safetensors; empty if not finished
  std::vector<std::string> missing;  // files that could not be written (a full disk), although there is a model
};

// One run in one folder. The same options and data in the same folder resume it, with
// byte-identical results.
//
//   hexapla::Trainer trainer({{"preset", "tiny"}, {"model", "run"}, {"max_updates", 1000}});
//   trainer.set_training_pairs([&](std::string& x, std::string& y) { ... });
//   trainer.train();
class Trainer {
 public:
  // The options of `hexapla train`. UsageError: unknown option, value out of range, or conflicting
  // options.
  HEXAPLA_API explicit Trainer(const Options& options);
  Trainer(std::initializer_list<Options::value_type> options) : Trainer(Options(options)) {}
  // Options from a YAML file; `options` take precedence.
  HEXAPLA_API Trainer(const std::string& config_file, const Options& options);
  HEXAPLA_API ~Trainer();
  HEXAPLA_API Trainer(Trainer&&) noexcept;
  HEXAPLA_API Trainer& operator=(Trainer&&) noexcept;

  // Replaces train_sets and valid_sets. Training pairs are read once, at the beginning of train(),
  // and kept in memory or, if there are many, in the run's folder; a resumed run reads them again
  // and must get the same pairs.
  HEXAPLA_API void set_training_pairs(PairSource pairs);
  HEXAPLA_API void set_validation_pairs(PairSource pairs);

  // UsageError, DataError (text, vocabularies, models), RunError (disk, a loss that is not finite,
  // another run in the folder), OutOfMemory. If stop() is called while reading, returns with
  // `finished` false.
  HEXAPLA_API TrainingResult train(const TrainingCallbacks& callbacks = {});
  // Stops training from any thread, a callback or a signal handler: train() saves a checkpoint and
  // returns, within about a second, even while it waits for a pipe, trains the vocabulary or
  // validates; the current update is completed first. An interrupted validation is repeated first
  // when the run resumes. If called before train(), the next train() returns at once and writes
  // nothing. train() may be called again.
  HEXAPLA_API void stop() noexcept;

  // All options as YAML, for an identical run.
  HEXAPLA_API std::string options() const;

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
