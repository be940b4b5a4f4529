#pragma once
// hexapla tune: a configuration for a corpus, found by successive halving (docs/adr/0051).
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "data/training_text.h"
#include "train/watch/watcher.h"
#include "tune/halving.h"
#include "tune/record.h"

namespace hexapla::tune {

struct TuneSettings {
  // Of the training that is tuned, as hexapla train takes them; `model` is the folder of the tuning, `preset` (tiny
  // unless given) the baseline, `best-by` (chrf unless given) the metric that decides at the end.
  std::vector<GivenOption> given;
  double minutes = 60;
};

// What is about to be trained.
struct Stage {
  int64_t rung = 0, rungs = 0;  // from 0
  size_t place = 0, of = 0;     // the trial's among those of this rung, from 0
  const Trial& trial;
  double seconds = 0;  // that it trains in this rung, about
  double left = 0;     // of the whole tuning
};

class TuneWatcher : public train::TrainWatcher {  // note() and running() are of the trials
 public:
  virtual void reading(const char* /*what*/, int64_t /*pairs*/) {}
  virtual void planned(const Record&, const Ladder&) {}  // before the first trial, and when a tuning goes on
  virtual void begins(const Stage&) {}
  virtual void measured(const Stage&) {}  // or out: stage.trial says
  virtual const std::atomic<bool>& stop() const = 0;
};

struct Tuned {
  Record record;
  size_t best = 0;          // by the metric, of those that reached the last rung; the baseline is 0
  std::optional<double> p;  // of the best one being better than the baseline; none: it is the baseline, or alone
  // The best one where it beats() the baseline, or where that failed; else the baseline.
  size_t chosen = 0;
  std::string held_out;                   // as TuningText
  std::string options_file;               // FOLDER/best.yml: the training of the chosen one in full
  int64_t measured_on = 0;                // pairs
  std::optional<double> minutes_in_full;  // of that training, at the speed of the trial; none: not known
};

constexpr double significant = 0.05;
// Of better translations, where p says that this is hardly chance, and with fewer bits per character besides: two
// measures, because in a short training either alone may be fooled.
bool beats(const Measurement& challenger, const Measurement& baseline, double p);

// Tries, measures, chooses, and leaves in the folder tune.json, best.yml, report.html and the trials, which are runs
// that every command reads. Stopped at any time, the same call goes on; what was measured is not measured again. All
// trials of a rung make the same number of updates: as many as the baseline makes in the time that is planned for it.
// So what else the machine does decides how much they all see, not which one is better. UsageError: an option that is
// wrong; a folder with a tuning of other settings or in use; a metric that means another thing in every vocabulary.
// DataError: as a training, of the baseline; another candidate is out then, as it is when its loss diverges. RunError:
// as a training; every candidate is out. Canceled: by stop().
Tuned tune(const TuneSettings& settings, TuneWatcher& watcher);

}  // namespace hexapla::tune
