#pragma once
// Questions about the Transformer that a run answers.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/report.h"

namespace hexapla::lab {

// How an experiment is run; 0: as it declares.
struct Settings {
  std::string folder;   // of its trainings: one that was finished there is not run again
  int64_t seeds = 0;    // 1, 2 ..
  int64_t updates = 0;  // of each training
  int64_t test_pairs = 400;
  // Of experiments that can take parallel text; without sets they take made-up text.
  std::vector<std::string> train_sets, valid_sets;  // as TrainOptions have them
  std::string preset = "tiny";                      // of the models and their recipe
  double minutes = 0;                               // that all trainings may take together; 0: as `updates` says
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // Measurement `done` of `all` begins. Canceled, to stop: what is finished is kept.
  virtual void begins(int64_t done, int64_t all, const std::string& what) = 0;
  virtual const std::atomic<bool>& stop() const = 0;  // ends a training that runs
};

struct Experiment {
  const char* name;
  const char* question;
  const char* sources;  // where the claim is made
  const char* minutes;  // that it took on two cores, "4"; empty: nobody has measured it
  int64_t seeds, updates;
  Report (*run)(const Settings& settings, Watcher& watcher);  // every setting is filled in
  bool takes_text = false;                                    // instead of its own, and minutes instead of updates
};

std::span<const Experiment> experiments();
// UsageError: there is none of this name, with the nearest.
const Experiment& experiment(const std::string& name);

int64_t seeds_of(const Experiment& experiment, const Settings& settings);  // that it is run with
// UserError: a folder that cannot be written, a file there that is damaged, text for an experiment that takes none.
// Canceled.
Report run(const Experiment& experiment, Settings settings, Watcher& watcher);

// One each; lab/experiments.
Report scale(const Settings& settings, Watcher& watcher);
Report heads(const Settings& settings, Watcher& watcher);
Report positions(const Settings& settings, Watcher& watcher);
Report ffn(const Settings& settings, Watcher& watcher);
Report softmax(const Settings& settings, Watcher& watcher);
Report smoothing(const Settings& settings, Watcher& watcher);
Report tied(const Settings& settings, Watcher& watcher);
Report dropout(const Settings& settings, Watcher& watcher);
Report norm(const Settings& settings, Watcher& watcher);
Report table3(const Settings& settings, Watcher& watcher);
Report cost(const Settings& settings, Watcher& watcher);
Report experts(const Settings& settings, Watcher& watcher);
Report masks(const Settings& settings, Watcher& watcher);
Report forcing(const Settings& settings, Watcher& watcher);

}  // namespace hexapla::lab
