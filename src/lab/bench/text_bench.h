#pragma once
// Trainings on parallel text of one's own, each with a preset's recipe but for what an experiment changes.
#include <memory>
#include <string>
#include <vector>

#include "lab/experiment.h"
#include "train/data/training_data.h"

namespace hexapla::lab {

struct TextResult {
  bool failed = false;  // its loss was not finite: no more is known
  double loss = 0;      // nats per target token of the validation sets
  double seconds = 0;   // of the training
  int64_t parameters = 0;
  std::vector<std::string> translations;  // of the validation sets, beam 4
};

class TextBench {
 public:
  // Reads the sets, and trains the vocabularies or loads those of an earlier run. UsageError, DataError as
  // train::prepare_data().
  TextBench(const Settings& settings, Watcher& watcher);

  // The preset's, for so many updates. The warm-up takes a fourth of them at most; with fewer than a fourth of the
  // recipe's updates, batches have at most 2,048 target tokens.
  train::TrainOptions options(int64_t updates) const;
  // Trains in SETTINGS.FOLDER/NAME, or goes on where it was stopped. What is there already with the same options and
  // text is read. Canceled: the watcher stops it.
  TextResult train(const std::string& name, train::TrainOptions options) const;
  // Of a training with these options, from one of a few updates in SETTINGS.FOLDER/NAME; that a loss is not finite does
  // not matter here. Canceled: the watcher stops it.
  double seconds_per_update(const std::string& name, train::TrainOptions options) const;

  const std::vector<std::string>& references() const { return data_.valid_reference; }
  const train::TrainingData& data() const { return data_; }

 private:
  TextResult measure(const train::TrainOptions& options) const;

  Settings settings_;
  Watcher& watcher_;
  train::TrainingData data_;
};

// BLEU of translations, with how far chance in the choice of sentences moves it, which says nothing of other seeds; the
// tokenizer is that of the script.
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

// What the seeds of one kind of training found.
struct SeedScores {
  std::vector<double> losses, scores;  // of those that did not diverge; scores: BLEU, or what else is measured
  BleuTable::Bleu bleu;                // of the first of them, on text
  int64_t failed = 0;
};
// Adds it to the figures of a report too, under "trained"; `which` tells it from the others.
void add(const TextResult& result, const BleuTable& table, nlohmann::ordered_json which, SeedScores& found,
         Report& report);
// "24.1 ± 1.2" of one seed, "24.1 (23.6 to 24.5)" of several.
std::string show_bleu(const SeedScores& found);
// A finding, where this model has a BLEU below 20: trainings of so many updates are too short to say much of one in
// full.
void add_if_too_short(const std::string& which, double bleu, int64_t updates, Report& report);

}  // namespace hexapla::lab
