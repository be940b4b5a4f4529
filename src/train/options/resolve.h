#pragma once
// From what a user gave, in words, to the options of a run. A command line, a file and a caller of the library all come
// in here.
#include <map>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "train/options/options.h"

namespace hexapla::train {

struct ResolvedOptions {
  TrainOptions options;
  // Of every option where its value came from: "given", its location in a file, "preset tiny", "init-from MODEL", or
  // "default".
  std::map<std::string, std::string> origins;
};

// Whether what was given names all sets, or a program may give pairs to validate on later.
enum class ValidSets { as_given, may_follow };

// The preset's options or, where init-from names a model, that model's architecture, and on top of them what was given;
// of an option that was given twice the last one counts. What was given may leave no room for a part of the preset's
// recipe: its number of updates, where another end was given, its mean of the last checkpoints, and batches that make
// up a large one together. UsageError naming option, value and location: no such option (with the nearest one), a value
// out of its range, an option that can do nothing beside the others, stdin for more than one file. DataError: the model
// of init-from cannot be read.
// Names may be spelled as fields (batch_tokens).
ResolvedOptions resolve_options(std::vector<GivenOption> given, ValidSets sets = ValidSets::as_given);
// Of all options, the architecture's among them.
std::vector<std::string> names_of_options();
inline constexpr const char* kLayersHelp = "layers of both stacks, N";  // of the one that has no field of its own

// All options as YAML that gives the same run when it is read.
std::string dump_options(const TrainOptions& options);

// The options that a YAML file gives: a map from the names of options to their values. Whether there are such options
// is for resolve_options() to say. UsageError naming file and line: not to be read, no such map, an option given twice.
std::vector<GivenOption> read_options_file(const std::string& path);

}  // namespace hexapla::train
