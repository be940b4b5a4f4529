#pragma once
#include <set>
#include <string>

#include "train/options/options.h"

namespace hexapla::train {

// A preset is a model and the recipe that trains it (docs/adr/0011): Config::preset, and the options that were found to
// suit it. max_updates is where the recipe ends. UsageError naming the presets: no such preset.
TrainOptions preset_options(const std::string& name);

// The names of the options, the model's among them, that differ between presets or from their usual values.
std::set<std::string> options_of_recipes();
// What these are in each preset, one line a preset, to show.
std::string describe_presets();

}  // namespace hexapla::train
