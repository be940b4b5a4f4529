#pragma once
// Models of other systems: import and export.
#include <functional>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/options.h"

namespace hexapla {

struct ImportedModel {
  std::string kind;                // "hf-marian", "ctranslate2"
  std::string origin;              // in words, as the model's history says it
  std::vector<std::string> notes;  // what differs after the import
};

// Converts a model of another system, a file or a folder, to a model file of ours at `output`, as `hexapla import`.
// on_progress gets the fraction done, from 0 to 1; its exceptions end the import. UsageError: an option that this kind
// of model does not read, or an `output` that exists and is no model of ours. DataError: no model of a known kind, a
// damaged one, or one that our models cannot represent.
HEXAPLA_API ImportedModel import_model(const std::string& path, const std::string& output, const Options& options = {},
                                       const std::function<void(double fraction)>& on_progress = {});

// Writes a model file, or the model of a training folder, as files of another system into a new folder, as
// `hexapla export`. to: "ctranslate2", "argos", "hf-marian", "hf-multilingual", "marian" or "safetensors". -> what
// differs there. UsageError: an option without effect, or a folder that exists and is not empty. DataError: the other
// system cannot represent the model.
HEXAPLA_API std::vector<std::string> export_model(const std::string& model, const std::string& folder,
                                                  const std::string& to, const Options& options = {});

HEXAPLA_API std::vector<OptionDescription> import_options();  // of import_model()
HEXAPLA_API std::vector<OptionDescription> export_options();  // of export_model(), without `to`

}  // namespace hexapla
