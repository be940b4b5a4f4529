#pragma once
#include <optional>
#include <string>
#include <vector>

#include "api/training/run_training.h"

namespace hexapla::api {

struct ReproduceOptions {
  std::string model;  // its file, or the folder of the training
  std::string out;    // folder of the new run; "": the folder reproduced next to the model
  // New locations of the training's files; empty: as recorded.
  std::vector<std::string> train_sets, valid_sets, vocabs;
  std::string vocab, guided_alignment, init_from;
  std::string valid_script;  // permits the training's scoring program to be run
  int64_t threads = 0, memory = 0;
};

struct Reproduction {
  train::TrainEnd end = train::TrainEnd::finished;  // the rest only if finished
  std::string original, again;                      // files
  bool same_bytes = false, same_weights = false;
  struct Change {
    std::string key;
    std::optional<std::string> now, was;  // none: not there
  };
  std::vector<Change> record;       // what the records say differently
  std::vector<std::string> likely;  // differences of build, machine and files: possible reasons
};

// Trains a model again from the provenance in its file, and compares. Resumes what it began. DataError: a model that
// was not trained on files, or other files than it was trained on; checked before the training. UsageError: a scoring
// program without permission, a folder with other files. Otherwise as run_training() and train::require_whole().
Reproduction reproduce(const ReproduceOptions& options, RunWatcher& watcher, const Stop& stop);

}  // namespace hexapla::api
