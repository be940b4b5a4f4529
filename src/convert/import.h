#pragma once
#include <functional>
#include <string>
#include <vector>

#include "convert/foreign_model.h"

namespace hexapla::convert {

struct Imported {
  std::string kind;  // name of it
  std::string origin;
  model::Config config;
  std::vector<std::string> notes;
};

// Reads the model of another system at path, a file or a folder, and writes it to `output` as a model file of ours. In
// memory is one tensor at a time. Until all is written there is nothing at `output` but what was there before.
// progress: the share that is done, from 0 to 1. UsageError: no kind of this name, or none that the files look like.
// DataError: the files are damaged, or hold what no model of ours can say.
Imported import_model(const std::string& path, const std::string& output, const ImportOptions& options,
                      const std::function<void(double)>& progress);

}  // namespace hexapla::convert
