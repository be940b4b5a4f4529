#pragma once
// hexapla tune: finds a configuration for a corpus by successive halving (docs/adr/0011).
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "data/training_text.h"
#include "lib/tune/halving.h"
#include "lib/tune/record.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train::tune {

struct TuneSettings {
  // Options of the tuned training, as for hexapla train. `model` is the folder of the tuning,
  // `preset` (default tiny) the baseline, `best-by` (default chrf) the metric for the final
  // decision.
  std::vector<GivenOption> given;
  double minutes = 60;
  std::string config = {};  // the file that gave options; "": none
};

// The trial about to run.
struct Stage {
  int64_t rung = 0, rungs = 0;  // from 0
  size_t place = 0, of = 0;     // index among the trials of this rung
  const Trial& trial;
  double seconds = 0;  // approximate training time in this rung
  double left = 0;     // in the whole tuning
};

class TuneWatcher : public train::TrainWatcher {  // note() and running() report on trials
 public:
  virtual void reading(const char* /*what*/, int64_t /*pairs*/) {}
  virtual void planned(const Record&, const Ladder&) {}  // before the first trial, and on resuming
  virtual void begins(const Stage&) {}
  virtual void measured(const Stage&) {}  // measured or failed: see stage.trial
  virtual const std::atomic<bool>& stop() const = 0;
};

struct Tuned {
  Record record;
  size_t best = 0;          // by the metric, among those in the last rung; 0: the baseline
  std::optional<double> p;  // for the best one beating the baseline; none: it is the baseline, or that failed
  // The best one if it beats() the baseline or the baseline failed; else the baseline.
  size_t chosen = 0;
  std::string held_out;                   // as in TuningText
  std::string options_file;               // FOLDER/best.yml: the full training of the chosen trial
  int64_t measured_on = 0;                // pairs
  std::optional<double> minutes_in_full;  // for that training, estimated from the trial's speed; none: unknown
};

constexpr double kSignificant = 0.05;
// Requires significantly better translations (p) and fewer bits per character: after a short
// training, either measure alone can mislead.
bool beats(const Measurement& challenger, const Measurement& baseline, double p);

// Tries, measures and chooses; leaves in the folder tune.json, best.yml, report.html and the
// trials, which are ordinary runs. If stopped, the same call resumes and keeps earlier
// measurements. All trials of a rung make the same number of updates: those that the baseline makes
// in its planned time. So the machine's load affects how far all are trained, not which one is
// better.
// UsageError: an invalid option; an input that the tuning would overwrite; a folder with a tuning of other
// settings; a metric that depends on the vocabulary. DataError: as in training the baseline; other candidates just
// leave, as when their loss diverges. RunError: as in training, or all candidates failed. Canceled: by stop().
Tuned tune(const TuneSettings& settings, TuneWatcher& watcher);

}  // namespace hexapla::train::tune
