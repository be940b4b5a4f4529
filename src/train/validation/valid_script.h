#pragma once
#include <optional>
#include <span>
#include <string>

#include "train/options/options.h"

namespace hexapla::train {

struct ScriptScore {
  std::optional<double> score;
  std::string problem;  // where there is none: what went wrong
};

// `valid-script`. Writes DIR/validation/translations.txt, references.txt and sources.txt, a sentence a line, and calls
// the program with these three paths; the last line that it writes to stdout is the score. What it writes to stderr is
// kept in DIR/validation/errors.txt.
ScriptScore measure_by_script(const TrainOptions& options, std::span<const std::string> translations,
                              std::span<const std::string> references, std::span<const std::string> sources);

}  // namespace hexapla::train
