#include "train/plan/resolve/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "model/weights/model_file.h"
#include "train/plan/init_from.h"
#include "train/plan/options/removed_options.h"
#include "train/plan/resolve/idle_options.h"
#include "train/plan/resolve/recipes.h"

namespace hexapla::train {

OptionRows all_rows(TrainOptions& options) { return options.rows() + options.architecture.rows(); }

std::vector<std::string> names_of_options() {
  std::vector<std::string> names = names_of(all_rows(TrainOptions()));
  names.insert(names.begin(), "layers");
  return names;
}

namespace {

void yield_to(const Given& given, TrainOptions& o) {
  if ((o.max_epochs > 0 || o.max_minutes > 0 || o.patience > 0) && !given.contains("max-updates")) o.max_updates = 0;
  if (given.contains("batch-tokens") && !given.contains("accumulate")) o.accumulate = 1;
  if (o.average_best > 0 && !given.contains("average-last")) o.average_last = 0;
  if ((!o.valid_sets.empty() || !o.guided_alignment.empty()) && !given.contains("hold-out")) o.hold_out = 0;
  if (o.validates()) return;
  if (!given.contains("patience")) o.patience = 0;
  if (!given.contains("schedule") && o.schedule == "plateau") o.schedule = TrainOptions().schedule;
}

// The initial model decides the architecture, except dropout if a preset was given: dropout belongs
// to the recipe.
void start_with(model::Config model, bool recipe_given, model::Config& architecture) {
  if (recipe_given) {
    model.dropout = architecture.dropout;
    model.attention_dropout = architecture.attention_dropout;
    model.activation_dropout = architecture.activation_dropout;
  }
  architecture = model;
}

void set_both_stacks(const Given& given, model::Config& architecture) {
  const auto layers = given.find("layers");
  if (layers == given.end()) return;
  if (given.contains("enc-layers") || given.contains("dec-layers"))
    throw UsageError("`layers` sets both stacks; give either it or `enc-layers` and `dec-layers`");
  set_given(*layers->second, {"layers", architecture.enc_layers, "", model::Config::kLayers});
  architecture.dec_layers = architecture.enc_layers;
}

void check_architecture(const TrainOptions& o) {
  try {
    model::Config check = o.architecture;
    check.resolve();
  } catch (const UsageError& e) {
    const std::string from = o.init_from.empty() ? "`preset` " + o.preset : "`init-from`";
    throw UsageError(cat(e.what(), " (options that you do not give have the values of ", from, ")"), e.option(),
                     e.value());
  }
}

// `tied` all needs a single vocabulary.
When tied_when(const TrainOptions& o) {
  return {!(o.text.separate_vocabs && o.architecture.tied == "all"),
          "needs one vocabulary, but `separate-vocabs` trains two: give `tied` decoder or none"};
}

void refuse_idle_options(const Given& given, const TrainOptions& o) {
  refuse_idle(given, all_rows(o));
  if (const auto tied = given.find("tied"); tied != given.end() && !tied_when(o).now)
    refuse_as_idle(*tied->second, tied_when(o));
}

void check_readers_of_stdin(const TrainOptions& o) {
  std::vector<std::string> readers;
  for (const auto& [name, files] : {std::pair{"`train-sets`", o.train_sets},
                                    {"`valid-sets`", o.valid_sets},
                                    {"`guided-alignment`", std::vector{o.guided_alignment}}})
    readers.insert(readers.end(), static_cast<size_t>(std::count(files.begin(), files.end(), "-")), name);
  if (readers.size() > 1)
    throw UsageError(fmt::format("stdin ('-') can be read only once, but it is named for {}; name files instead",
                                 fmt::join(readers, " and for ")));
}

// Origin of every resolved option: where it was given, else init-from, the preset or the default.
std::map<std::string, std::string> origins_of(const Given& given, const TrainOptions& o) {
  std::map<std::string, std::string> origins;
  const std::set<std::string> of_recipes = options_of_recipes();
  const auto add = [&](const std::string& name, const std::string& otherwise) {
    const auto found = given.find(name);
    if (found == given.end())
      origins[name] = otherwise;
    else
      origins[name] = found->second->location.empty() ? "given" : found->second->location;
  };
  const std::string preset = "preset " + o.preset;
  for (const OptionRow& row : rows_of(o)) add(row.name, of_recipes.contains(row.name) ? preset : "default");
  const std::string initial = "init-from " + o.init_from;
  for (const OptionRow& row : rows_of(o.architecture))
    add(row.name, !o.init_from.empty() ? initial : of_recipes.contains(row.name) ? preset : "default");
  return origins;
}

TrainOptions recipe_named(const std::string& preset) {
  static const Choices names = [] {
    Choices all = model::Config::preset_names();
    all.insert(all.begin(), kAutomatic);
    return all;
  }();
  check_choice(names, "preset", preset);
  return preset == kAutomatic ? automatic_options() : preset_options(preset);
}

}  // namespace

std::set<std::string> idle_options(const TrainOptions& o) {
  std::set<std::string> idle;
  for (const OptionRow& row : all_rows(o))
    if (!row.when.now) idle.insert(row.name);
  if (!tied_when(o).now) idle.insert("tied");
  return idle;
}

ResolvedOptions resolve_options(std::vector<GivenOption> all, ValidSets sets) {
  std::erase_if(all, was_removed);
  const Given given = by_name(all, names_of_options());
  TrainOptions first;
  take_given(given, first.rows());
  return resolve_options(recipe_named(first.preset), std::move(all), sets);
}

ResolvedOptions resolve_options(TrainOptions options, std::vector<GivenOption> all, ValidSets sets) {
  std::erase_if(all, was_removed);
  const Given given = by_name(all, names_of_options());
  TrainOptions first;  // init-from is needed first: the rest builds on it
  take_given(given, first.rows());
  if (!first.init_from.empty())
    start_with(config_of_model(model::model_file(first.init_from)), given.contains("preset"), options.architecture);
  set_both_stacks(given, options.architecture);
  const std::string recipe = options.preset;
  take_given(given, all_rows(options));
  options.preset = recipe;
  if (!options.init_from.empty()) options.init_from = model::model_file(options.init_from);
  check_architecture(options);
  yield_to(given, options);
  TrainOptions complete = options;
  if (sets == ValidSets::may_follow && complete.valid_sets.empty()) complete.valid_sets = {"of a program"};
  refuse_idle_options(given, complete);
  check_readers_of_stdin(options);
  auto origins = origins_of(given, options);
  if (options.preset == kAutomatic) options.given = std::move(all);
  return {std::move(options), std::move(origins)};
}

}  // namespace hexapla::train
