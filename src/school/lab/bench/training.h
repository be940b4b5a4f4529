#pragma once
// Small trainings on made-up text, cheap enough to run many.
#include <functional>

#include "decode/opened/open_model.h"
#include "inspect/recorder.h"
#include "lab/bench/task.h"
#include "lab/experiment.h"
#include "train/feed/training_data.h"
#include "train/record/watch/watcher.h"

namespace hexapla::lab {

struct Training {
  std::string name;            // of its folder, such as "dot-64-1"
  model::Config architecture;  // without vocabularies
  uint64_t seed = 1;           // for initialization and shuffling; the text is always the same
  int64_t updates = 0, warmup = 100;
  double lr = 2e-3;  // peak
  double label_smoothing = 0;
};

struct Scores {
  double loss = 0;      // nats per target token, on unseen pairs
  double accuracy = 0;  // share of exact matches, 0 .. 1
};

struct Result : Scores {
  double seconds = 0;
  bool failed = false;  // diverged: no scores
};

// Adds the result to the report's figures, under "trained"; `which` identifies it and may hold
// further measurements.
void record(nlohmann::ordered_json which, const Result& result, Report& report);

// Trains in f32 to the options' end, or resumes; false: the loss was not finite. Canceled: `stop`
// became true. Other errors as train::train().
bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop,
              train::TrainWatcher& watcher);
bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop);

// As found_once().
Result once(const std::string& folder, const nlohmann::json& settings, const std::function<Result()>& measure);

class Bench {
 public:
  Bench(const Settings& settings, Watcher& watcher, Task task);

  // Trains in SETTINGS.FOLDER/NAME, or resumes there; reads an existing result for the same
  // settings. Canceled: the watcher stops it. RunError, UsageError as train::train().
  Result train(const Training& training) const;
  // Opens the model that train() produced.
  decode::OpenModel open(const Training& training) const;
  // The model before its first update, as a control. The training needs a name of its own.
  decode::OpenModel untrained(const Training& training) const;

  static Scores test(const decode::OpenModel& m, const data::Corpus& pairs);
  static double loss(const decode::OpenModel& m, const data::Corpus& pairs);
  // Records all intermediates while the model reads the i-th pair.
  static inspect::Inspection look(const decode::OpenModel& m, const data::Corpus& pairs, size_t i);
  const Task& task() const { return task_; }
  const text::Vocabulary& vocabulary() const { return data_.pairs.target; }  // for both sides

  // 2 + 2 layers, d_model 64, d_ff 128, 4 heads, no dropout: too small to memorize the pairs.
  static model::Config small();

 private:
  std::string folder_of(const Training& training) const;
  Result measure(const Training& training) const;

  std::string folder_;
  Watcher& watcher_;
  Task task_;
  train::TrainingData data_;
};

}  // namespace hexapla::lab
