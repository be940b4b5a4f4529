#include "train/options/resolve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "model/weights/model_file.h"
#include "train/options/idle_options.h"
#include "train/options/recipes.h"
#include "train/run/init_from.h"

namespace hexapla::train {
namespace {}  // namespace

std::vector<std::string> names_of_options() {
  std::vector<std::string> names{"layers"};
  const auto add = [&](const char* name, const auto&...) { names.emplace_back(name); };
  const TrainOptions usual;
  TrainOptions::visit(usual, add);
  model::Config::visit(usual.architecture, add);
  return names;
}

namespace {

void yield_to(const Given& given, TrainOptions& o) {
  if ((o.max_epochs > 0 || o.max_minutes > 0 || o.patience > 0) && !given.contains("max-updates")) o.max_updates = 0;
  if (given.contains("batch-tokens") && !given.contains("accumulate")) o.accumulate = 1;
  if (o.average_best > 0 && !given.contains("average-last")) o.average_last = 0;
}

// The model that a run starts from decides everything but the dropout of a preset that was asked for, which belongs to
// its recipe.
void start_with(model::Config model, bool recipe_given, model::Config& architecture) {
  if (recipe_given) {
    model.dropout = architecture.dropout;
    model.attention_dropout = architecture.attention_dropout;
    model.activation_dropout = architecture.activation_dropout;
  }
  architecture = std::move(model);
}

void set_both_stacks(const Given& given, model::Config& architecture) {
  const auto layers = given.find("layers");
  if (layers == given.end()) return;
  if (given.contains("enc-layers") || given.contains("dec-layers"))
    throw UsageError("`layers` sets both stacks; give either it or `enc-layers` and `dec-layers`");
  set_given(*layers->second, model::Config::kLayers, architecture.enc_layers);
  architecture.dec_layers = architecture.enc_layers;
}

void check_architecture(const TrainOptions& o) {
  try {
    model::Config check = o.architecture;
    check.resolve();
  } catch (const UsageError& e) {
    const std::string from = o.init_from.empty() ? "`preset` " + o.preset : "`init-from`";
    throw UsageError(cat(e.what(), " (", from, " sets every dimension that you do not give)"), e.option(), e.value());
  }
}

void refuse_idle(const Given& given, const TrainOptions& o) {
  for (const auto& [name, why] : idle_options(o))
    if (const auto option = given.find(name); option != given.end())
      throw UsageError(cat("`", name, "` ", option->second->values.front(), " ", why));
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

// Of the options that `resolved` has by now: those that differ from the usual ones are the preset's, or the model's.
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
  TrainOptions::visit(
      o, [&](const std::string& name, const auto&...) { add(name, of_recipes.contains(name) ? preset : "default"); });
  model::Config::visit(o.architecture, [&](const std::string& name, const auto&...) {
    add(name, !o.init_from.empty() ? "init-from " + o.init_from : of_recipes.contains(name) ? preset : "default");
  });
  return origins;
}

}  // namespace

std::map<std::string, std::string> idle_options(const TrainOptions& o) {
  std::map<std::string, std::string> idle;
  if (const std::string from = given_vocabulary(o); !from.empty())
    for (const char* name : {"vocab-size", "vocab-type", "character-coverage", "byte-fallback", "user-symbols",
                             "source-normalization", "target-normalization", "vocab-lines"})
      idle[name] = cat("applies to a vocabulary that is trained, but this one comes from `", from, "`: leave it out");
  if (o.guided_alignment.empty())
    for (const char* part : {"units", "weight", "layer", "head"})
      idle[cat("guided-alignment-", part)] = "is for `guided-alignment`: give a file of alignments, or leave it out";
  if (o.architecture.experts == 0)
    for (const char* name : {"experts-per-token", "dim-expert", "expert-capacity", "load-balancing"})
      idle[name] = "is for a mixture of experts: give their number with `experts`, or leave it out";
  if (o.text.separate_vocabs && o.architecture.tied == "all")
    idle["tied"] = "needs one vocabulary, but `separate-vocabs` trains two: give `tied` decoder or none";
  return idle;
}

ResolvedOptions resolve_options(std::vector<GivenOption> all) {
  Given given = by_name(all, names_of_options());
  TrainOptions first;  // preset and init-from decide what the rest stands on
  take_given(given, first);
  TrainOptions options = preset_options(first.preset);
  if (!first.init_from.empty())
    start_with(config_of_model(model::model_file(first.init_from)), given.contains("preset"), options.architecture);
  set_both_stacks(given, options.architecture);
  take_given(given, options);
  take_given(given, options.architecture);
  if (!options.init_from.empty()) options.init_from = model::model_file(options.init_from);
  check_architecture(options);
  yield_to(given, options);
  refuse_idle(given, options);
  check_readers_of_stdin(options);
  auto origins = origins_of(given, options);
  return {std::move(options), std::move(origins)};
}

}  // namespace hexapla::train
