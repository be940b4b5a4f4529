#pragma once
// `preset` auto: chooses a recipe for the text, the time and this machine.
#include <optional>
#include <string>

#include "backend/backend.h"
#include "train/automatic/corpus_facts.h"
#include "train/cluster/processes.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

struct Chosen {
  TrainOptions options;  // those of a run with an ordinary preset
  std::string why;       // one line for the user
};

// Lays what was given over the recipe. The sizes of models that the text allows are measured from the largest, until
// one is fast enough for the time. UsageError: what was given does not go with the recipe.
Chosen choose_recipe(const TrainOptions& asked, const CorpusFacts& facts, Backend& backend);

// DIR/recipe.yml: what a run chose, so that it goes on with it.
inline constexpr const char* kRecipeFile = "recipe.yml";
void keep_recipe(const TrainOptions& asked, const Chosen& chosen);
// The recipe that the run in the folder began with, under what is given now: that of `base`, the default of earlier
// versions, if there is no file.
Chosen recipe_of_run(const TrainOptions& asked);

// The options that the first process chose, in all of them. chosen: of the first one.
TrainOptions of_first(cluster::Processes& processes, const TrainOptions& asked, const std::optional<Chosen>& chosen);

}  // namespace hexapla::train
