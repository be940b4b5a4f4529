#pragma once
#include <set>
#include <string>

#include "train/plan/options/options.h"

namespace hexapla::train {

// A preset is a model (Config::preset) and the recipe that trains it (docs/adr/0011); max_updates
// is the length of the recipe. UsageError: unknown name; the message lists the presets.
TrainOptions preset_options(const std::string& name);
// The preset that train/automatic/choose.h makes for a text, and its options before the text is known.
inline constexpr const char* kAutomatic = "auto";
TrainOptions automatic_options();

// Names of the options, including the model's, that some preset sets to other than the default.
std::set<std::string> options_of_recipes();
// The values of these options in each preset, one line per preset, for display.
std::string describe_presets();

}  // namespace hexapla::train
