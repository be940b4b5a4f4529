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

// How far an import is. As a number it is the share that is done, from 0 to 1.
struct ImportProgress {
  double done = 0, all = 0;  // bytes of the model file, each counted twice: once for the checksum, once to write it

  operator double() const { return all > 0 ? done / all : 0; }  // NOLINT: so that a bar takes it as it is
};

// Reads the model of another system at path, a file or a folder, and writes it to `output` as a model file of ours. In
// memory is one tensor at a time; numbers of 16 bits stay so. Until all is written there is nothing at `output` but
// what was there before. UsageError: no kind of this name, or none that the files look like. DataError: the files are
// damaged, or hold what no model of ours can say.
Imported import_model(const std::string& path, const std::string& output, const ImportOptions& options,
                      const std::function<void(const ImportProgress&)>& progress);

}  // namespace hexapla::convert
