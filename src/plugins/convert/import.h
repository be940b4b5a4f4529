#pragma once
#include <functional>
#include <string>
#include <vector>

#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

struct Imported {
  std::string kind;  // the Kind's name
  std::string origin;
  model::Config config;
  std::vector<std::string> notes;
};

// Progress of an import. Converts to the fraction done, from 0 to 1.
struct ImportProgress {
  double done = 0, all = 0;  // bytes of the model file, each counted twice: once for the checksum, once to write it

  operator double() const { return all > 0 ? done / all : 0; }  // implicit for progress bars
};

// Reads another system's model at path, a file or a folder, and writes our model file to `output`.
// Holds one tensor in memory at a time; 16-bit numbers stay 16-bit. `output` is not touched before
// everything is written. UsageError: no kind of this name, or none matches the files. DataError:
// the files are damaged, or contain something that our models cannot represent.
Imported import_model(const std::string& path, const std::string& output, const ImportOptions& options,
                      const std::function<void(const ImportProgress&)>& progress);

// Reads everything but the numbers of a model in this system's form, as import_model() does. RunError naming the
// reason: it cannot be imported.
void check_readable(const std::string& path, const std::string& kind);

}  // namespace hexapla::convert
