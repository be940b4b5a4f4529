#pragma once
// Training a model on parallel text, from files or from the program.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"

namespace hexapla {

// Gives the next pair of sentences, each one line of UTF-8; false after the last one. What it throws ends the call that
// asked for it.
using PairSource = std::function<bool(std::string& source, std::string& target)>;

struct TrainingStart {
  std::int64_t parameters = 0;
  std::int64_t pairs = 0, batches = 0;  // of an epoch
  std::int64_t validation_pairs = 0;
  std::int64_t resumed_at = 0;  // update; 0: from the beginning
  std::string backend;
};
struct TrainingReport {
  std::int64_t update = 0, epoch = 1;
  double loss = 0;  // label-smoothed, per target token, since the last report
  double learning_rate = 0, gradient_norm = 0;
  std::int64_t target_tokens = 0;  // since the beginning of the run
  double tokens_per_second = 0;
  double progress = 0;       // towards the nearest limit, 0 to 1
  double seconds_left = -1;  // -1: not known
};
struct ValidationReport {
  std::int64_t update = 0, epoch = 1;
  double loss = 0, perplexity = 0;
  std::optional<double> bleu, chrf;
  std::string signature;     // of the BLEU
  bool best = false;         // by best_by
  std::int64_t stalled = 0;  // validations since the best one
  struct Example {
    std::string source, reference, hypothesis;
  };
  std::vector<Example> examples;  // the same pairs every time
};

// Called from the thread that trains, between two steps; they may call Trainer::stop(). What one throws ends train()
// with that exception; the run resumes from its last checkpoint.
struct TrainingCallbacks {
  std::function<void(const TrainingStart&)> on_start;
  std::function<void(const TrainingReport&)> on_progress;  // a few times a second
  std::function<void(const TrainingReport&)> on_report;    // every report_every
  std::function<void(const ValidationReport&)> on_validation;
  std::function<void(std::int64_t update, const std::string& path)> on_checkpoint;
  std::function<void(const std::string& text)> on_note;  // warnings
  std::function<void(const std::string& what, std::int64_t pairs)> on_reading;
};

struct TrainingResult {
  bool finished = false;  // false: stopped; train() goes on where it was
  std::int64_t updates = 0, epochs = 0;
  std::optional<double> best_score;  // by best_by
  std::string model;                 // DIR/model.safetensors; empty while it is not finished
  std::vector<std::string> missing;  // what could not be written (a full disk), though there is a model
};

// One run in one folder. The same options and data in the same folder resume it, to the byte.
//
//   hexapla::Trainer trainer({{"preset", "tiny"}, {"model", "run"}, {"max_updates", 1000}});
//   trainer.set_training_pairs([&](std::string& x, std::string& y) { ... });
//   trainer.train();
class Trainer {
 public:
  // The options of `hexapla train`. UsageError: no such option, a value out of its range, options that do not go
  // together.
  explicit Trainer(const Options& options);
  Trainer(std::initializer_list<Options::value_type> options) : Trainer(Options(options)) {}
  // From a YAML file; `options` win.
  Trainer(const std::string& config_file, const Options& options);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  // Instead of train_sets and valid_sets. Training pairs are asked for once, at the beginning of train(), and kept in
  // memory or, if they are many, in the run's folder; a run that resumes asks again and must be given the same.
  void set_training_pairs(PairSource pairs);
  void set_validation_pairs(PairSource pairs);

  // UsageError, DataError (text, vocabularies, models), RunError (disk, a loss that is not finite, another run in the
  // folder), OutOfMemory. Reading stops with `finished` false, too, where stop() was called.
  TrainingResult train(const TrainingCallbacks& callbacks = {});
  // From any thread, a callback or a signal handler: train() saves a checkpoint and returns, within a second or so, be
  // it reading a pipe that gives nothing, training the vocabulary or validating; an update is finished first. A
  // validation that it breaks off comes first when the run goes on. Before train(): the next train() returns at once
  // and has written nothing. A stopped trainer may train() again.
  void stop() noexcept;

  // All options as YAML that gives the same run.
  std::string options() const;

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
