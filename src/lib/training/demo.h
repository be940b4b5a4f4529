#pragma once
// The demo: random dates in many forms, and a small Transformer that reads them.
#include <functional>
#include <optional>
#include <string>

#include "lib/training/run_training.h"

namespace hexapla::api {

inline constexpr int64_t kDemoUpdates = 5000;

struct DemoOptions {
  std::string model;                   // folder; "": in the user's cache
  std::optional<std::string> text;     // a date to convert instead of the presentation
  std::optional<uint64_t> seed;        // none: 1, or any that was trained
  std::optional<int64_t> max_updates;  // none: kDemoUpdates
  int threads = 0;
  bool retrain = false;
  int width = 80;  // of pictures, in columns
  bool color = false;
};

struct Demonstrated {
  train::TrainEnd end = train::TrainEnd::finished;  // the other members are set only if it is finished
  int64_t updates = 0;                              // if the training was interrupted
  std::string model;                                // folder
  std::string shown;    // the converted date, or accuracy, examples and a picture of attention
  std::string example;  // a date of the presentation
};

// Trains the model unless it exists, and shows its abilities. say: receives progress messages.
// UsageError: an empty text, a folder with other files or another seed. RunError: a folder that
// cannot be written. Otherwise as train::train().
Demonstrated demonstrate(const DemoOptions& options, train::TrainWatcher& watcher,
                         const std::function<void(const std::string&)>& say, const Stop& stop);

}  // namespace hexapla::api
