#pragma once
// Trainings on the user's parallel text, with a preset's recipe except for what an experiment
// changes.
#include <memory>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "train/feed/training_data.h"

namespace hexapla::lab {

struct TextResult {
  bool failed = false;  // diverged: the other fields are unknown
  double loss = 0;      // nats per target token of the validation sets
  double seconds = 0;   // training time
  int64_t parameters = 0;
  std::vector<std::string> translations;  // of the validation sets, beam 4
};

class TextBench {
 public:
  // Reads the sets, and trains the vocabularies or loads those of an earlier run. UsageError,
  // DataError as train::prepare_data().
  TextBench(const Settings& settings, Watcher& watcher);

  // The preset's options for this number of updates. Warm-up takes at most a quarter of them; below
  // a quarter of the recipe's updates, batches have at most 2,048 target tokens.
  train::TrainOptions options(int64_t updates) const;
  // Trains in SETTINGS.FOLDER/NAME, or resumes there; reads an existing result for the same options
  // and text. Canceled: the watcher stops it.
  TextResult train(const std::string& name, train::TrainOptions options) const;
  // Measures a few updates with these options in SETTINGS.FOLDER/NAME; a non-finite loss is
  // ignored. Canceled: the watcher stops it.
  double seconds_per_update(const std::string& name, train::TrainOptions options) const;

  const std::vector<std::string>& references() const { return data_.valid_reference; }
  const train::TrainingData& data() const { return data_; }

 private:
  TextResult measure(const train::TrainOptions& options) const;

  Settings settings_;
  Watcher& watcher_;
  train::TrainingData data_;
};

// BLEU with the uncertainty from the choice of sentences (not from seeds); the references' script
// selects the tokenizer.
class BleuTable {
 public:
  explicit BleuTable(std::vector<std::string> references);

  struct Bleu {
    double score = 0, half_width = 0;  // 95 % of the resamples
  };
  Bleu of(const std::vector<std::string>& translations) const;
  const std::string& tokenizer() const { return tokenizer_; }

 private:
  std::vector<std::vector<std::string>> references_;
  std::string tokenizer_;
};

// Results of one kind of training over all seeds.
struct SeedScores {
  std::vector<double> losses, scores;  // of seeds that did not diverge; scores: BLEU or another measure
  BleuTable::Bleu bleu;                // of the first of them, on text
  int64_t failed = 0;
};
// Also adds it to the report's figures, under "trained"; `which` identifies it.
void add(const TextResult& result, const BleuTable& table, nlohmann::ordered_json which, SeedScores& found,
         Report& report);
// "24.1 ± 1.2" for one seed, "24.1 (23.6 to 24.5)" for several.
std::string show_bleu(const SeedScores& found);
// Adds a finding if the BLEU is below 20: after so few updates, results predict a full training
// poorly.
void add_if_too_short(const std::string& which, double bleu, int64_t updates, Report& report);

}  // namespace hexapla::lab
