#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/training/run_training.h"

namespace hexapla::api {

struct ReproduceOptions {
  std::string model;  // model file, or the folder of the training
  std::string out;    // folder of the new run; "": the folder reproduced next to the model
  // New locations of the training's files; empty: as recorded.
  std::vector<std::string> train_sets, valid_sets, vocabs;
  std::string vocab, guided_alignment, init_from;
  std::string valid_script;  // permits running the training's scoring program
  std::string device = "cpu";
  int64_t threads = 0, memory = 0;
};

struct Reproduction {
  train::TrainEnd end = train::TrainEnd::finished;  // the other members are set only if it is finished
  std::string original, again;                      // files
  bool same_bytes = false, same_weights = false;
  struct Change {
    std::string key;
    std::optional<std::string> now, was;  // none: missing
  };
  std::vector<Change> record;       // differences between the records
  std::vector<std::string> likely;  // possible reasons: differences of build, machine and files
};

// Trains a model again from the provenance in its file, and compares the results. Resumes its own
// unfinished runs. DataError: the model was not trained on files, or the files have changed;
// checked before training. UsageError: a scoring program without permission, or a folder with other
// files. Otherwise as run_training() and train::require_whole().
Reproduction reproduce(const ReproduceOptions& options, RunWatcher& watcher, const Stop& stop);

}  // namespace hexapla::api
