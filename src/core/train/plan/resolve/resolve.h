#pragma once
// Turns options as given (words) into the resolved options of a run. The command line, config files
// and library callers all use this.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

struct ResolvedOptions {
  TrainOptions options;
  // Origin of each option's value: "given", a location in a file, "preset tiny", "init-from MODEL",
  // or "default".
  std::map<std::string, std::string> origins;
};

// Do the options name all sets, or may a program supply validation pairs later?
enum class ValidSets { as_given, may_follow };

// Starts from the preset's options or, if init-from names a model, that model's architecture, and
// applies the given options; if an option is given twice, the last value counts. Names may be
// spelled as fields (batch_tokens).
// A given option may override a part of the preset's recipe that it conflicts with: another
// stopping rule replaces the number of updates, average-best the mean of the last checkpoints,
// batch-tokens the accumulation.
// UsageError naming option, value and location: unknown option (with the nearest name), a value out
// of range, an option without effect given the others, stdin for more than one file. DataError: the
// model of init-from cannot be read.
ResolvedOptions resolve_options(std::vector<GivenOption> given, ValidSets sets = ValidSets::as_given);
// The same with this recipe instead of that of `preset`.
ResolvedOptions resolve_options(TrainOptions recipe, std::vector<GivenOption> given,
                                ValidSets sets = ValidSets::as_given);
// The rows of all options, the architecture's included, but without `layers`, which has no field of its own.
OptionRows all_rows(TrainOptions& options);
inline OptionRows all_rows(const TrainOptions& options) { return all_rows(const_cast<TrainOptions&>(options)); }
std::vector<std::string> names_of_options();  // with `layers`
inline constexpr const char* kLayersHelp = "layers of both stacks, N";

// All options as YAML; reading it back gives the same run.
std::string dump_options(const TrainOptions& options);
// Those of these names. Options that are left out follow from the others when the file is read: a warm-up that is not
// given is shortened to fit max-minutes.
std::string dump_options(const TrainOptions& options, std::set<std::string> names);

// Reads options from a YAML file: a map from option names to values. Does not check the names;
// resolve_options() does. UsageError naming file and line: unreadable, not a map, or an option
// given twice.
std::vector<GivenOption> read_options_file(const std::string& path);

}  // namespace hexapla::train
