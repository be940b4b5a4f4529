#pragma once
// Experiments: questions about the Transformer, answered by running them.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/report.h"

namespace hexapla::lab {

// Settings of a run; 0: the experiment's default.
struct Settings {
  std::string folder;   // for its trainings; finished ones are not repeated
  int64_t seeds = 0;    // 1, 2 ..
  int64_t updates = 0;  // per training
  int64_t test_pairs = 400;
  // For experiments that can use parallel text; without sets they use made-up text.
  std::vector<std::string> train_sets, valid_sets;  // as in TrainOptions
  std::string preset = "tiny";                      // model and recipe
  double minutes = 0;                               // for all trainings together; 0: `updates` decides
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  // Before measurement `done` of `all`. May throw Canceled; finished measurements are kept.
  virtual void begins(int64_t done, int64_t all, const std::string& what) = 0;
  virtual const std::atomic<bool>& stop() const = 0;  // stops the current training
};

struct Experiment {
  const char* name;
  const char* question;
  const char* sources;  // publications that make the claim
  const char* minutes;  // measured on two cores, "4"; empty: unknown
  int64_t seeds, updates;
  Report (*run)(const Settings& settings, Watcher& watcher);  // all settings are resolved
  bool takes_text = false;                                    // instead of its own, with minutes instead of updates
};

std::span<const Experiment> experiments();
// UsageError: unknown name; suggests the nearest.
const Experiment& experiment(const std::string& name);

int64_t seeds_of(const Experiment& experiment, const Settings& settings);  // resolved
// UserError: a folder that cannot be written, a damaged file in it, text for an experiment that
// takes none. Canceled.
Report run(const Experiment& experiment, Settings settings, Watcher& watcher);

// One per experiment; see lab/experiments.
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
