#pragma once
// Questions about the Transformer that a run answers.
#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "lab/report.h"

namespace hexapla::lab {

// How an experiment is run; 0: as it declares.
struct Settings {
  std::string folder;   // of its trainings: one that was finished there is not run again
  int64_t seeds = 0;    // 1, 2 ..
  int64_t updates = 0;  // of each training
  int64_t test_pairs = 400;
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
};

std::span<const Experiment> experiments();
// UsageError: there is none of this name, with the nearest.
const Experiment& experiment(const std::string& name);

// UserError: a folder that cannot be written, a file there that is damaged. Canceled.
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
Report cost(const Settings& settings, Watcher& watcher);
Report masks(const Settings& settings, Watcher& watcher);

}  // namespace hexapla::lab
