#pragma once
// Small trainings on made-up text, cheap enough for many of them.
#include <functional>

#include "inspect/recorder.h"
#include "lab/bench/task.h"
#include "lab/experiment.h"
#include "models/open_model.h"
#include "train/data/training_data.h"
#include "train/watch/watcher.h"

namespace hexapla::lab {

struct Training {
  std::string name;            // of its folder: "dot-64-1"
  model::Config architecture;  // without vocabularies
  uint64_t seed = 1;           // of initialization and shuffling; the text is the same for all
  int64_t updates = 0, warmup = 100;
  double lr = 2e-3;  // peak
  double label_smoothing = 0;
};

struct Scores {
  double loss = 0;      // nats per target token, of pairs that no training has seen
  double accuracy = 0;  // so many of them are right in every character, 0 .. 1
};

struct Result : Scores {
  double seconds = 0;
  bool failed = false;  // its loss was not finite: no scores
};

// Adds it to the figures of a report, under "trained"; `which` tells it from the others, and what else was measured of
// it.
void record(nlohmann::ordered_json which, const Result& result, Report& report);

// Trains to the end of its options in f32, or goes on where it was stopped; false: its loss was not finite. Canceled:
// `stop` became true. Other errors as train::train().
bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop,
              train::TrainWatcher& watcher);
bool finishes(const train::TrainOptions& options, const train::TrainingData& data, const std::atomic<bool>& stop);

// As found_once().
Result once(const std::string& folder, const nlohmann::json& settings, const std::function<Result()>& measure);

class Bench {
 public:
  Bench(const Settings& settings, Watcher& watcher, Task task);

  // Trains in SETTINGS.FOLDER/NAME, or goes on where it was stopped. What is there already with the same settings is
  // read. Canceled: the watcher stops it. RunError, UsageError as train::train().
  Result train(const Training& training) const;
  // What train() left behind, to look into.
  models::OpenModel open(const Training& training) const;
  // Its model before the first update: a control. Of a training with a name of its own.
  models::OpenModel untrained(const Training& training) const;

  static Scores test(const models::OpenModel& m, const data::Corpus& pairs);
  static double loss(const models::OpenModel& m, const data::Corpus& pairs);
  // Everything that happens in it while it reads the i-th pair.
  static inspect::Inspection look(const models::OpenModel& m, const data::Corpus& pairs, size_t i);
  const Task& task() const { return task_; }
  const text::Vocabulary& vocabulary() const { return data_.pairs.target; }  // of both sides

  // 2 + 2 layers, d_model 64, d_ff 128, 4 heads, without dropout: more pairs than it could learn by heart.
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
