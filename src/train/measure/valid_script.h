#pragma once
#include <optional>
#include <span>
#include <string>

#include "train/plan/options/options.h"

namespace hexapla::train {

struct ScriptScore {
  std::optional<double> score;
  std::string problem;  // why there is no score
};

// Implements `valid-script`. Writes DIR/validation/translations.txt, references.txt and
// sources.txt, one sentence per line, and calls the program with these three paths. The last line
// of its stdout is the score; its stderr is kept in DIR/validation/errors.txt.
ScriptScore measure_by_script(const TrainOptions& options, std::span<const std::string> translations,
                              std::span<const std::string> references, std::span<const std::string> sources);

}  // namespace hexapla::train
