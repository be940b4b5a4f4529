#include "cli/options.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "cli/model.h"
#include "train/init_from.h"
#include "train/recipes.h"

namespace hexapla::cli {
namespace {

// As TrainOptions::visit and Config::visit declare it.
template <class T, class Allowed>
CLI::Option* declare_option(Command& command, const std::string& name, T& field, const std::string& help,
                            const Allowed& allowed) {
  const std::string flag = "--" + name;
  if constexpr (std::is_same_v<T, bool>)
    return command.add_flag(flag, field, help);
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return command.add_option(flag, field, allowed, help)->default_str("");
  else if constexpr (is_list<T>)
    return command.add_option(flag, field, help)->expected(1, 1 << 20)->default_str("");
  else if constexpr (holds_number<T>)
    return command.add_option(flag, field, allowed, help)
        ->default_str(allowed.zero && field == 0 ? allowed.zero : fmt::format("{}", field));
  else
    return command.add_option(flag, field, help)->default_str(field);
}

// What the user gave, on top of `to`. Both are visited in the same order: the n-th field of one is the n-th of the
// other.
template <class Options>
void take_given(const CLI::App& command, const Options& user, Options& to) {
  std::vector<const void*> values;
  Options::visit(user, [&](const char*, const auto& field, const auto&...) { values.push_back(&field); });
  auto value = values.begin();
  Options::visit(to, [&](const std::string& name, auto& field, const auto&...) {
    using Field = std::remove_reference_t<decltype(field)>;
    const void* given = *value++;
    if (command.get_option("--" + name)->count() > 0) field = *static_cast<const Field*>(given);
  });
}

// What the user gives may leave no room for a part of the recipe: its number of updates, where another end was given,
// its mean of the last checkpoints, and batches that make up a large one together.
void make_room(const CLI::App& command, TrainOptions& o) {
  auto given = [&](const char* option) { return command.get_option(option)->count() > 0; };
  if ((o.max_epochs > 0 || o.max_minutes > 0 || o.patience > 0) && !given("--max-updates")) o.max_updates = 0;
  if (given("--batch-tokens") && !given("--accumulate")) o.accumulate = 1;
  if (o.average_best > 0 && !given("--average-last")) o.average_last = 0;
}

// The model that a run starts from decides everything but the dropout of a preset that was asked for, which belongs to
// its recipe.
void start_with(Config model, bool recipe_given, Config& architecture) {
  if (recipe_given) {
    model.dropout = architecture.dropout;
    model.attention_dropout = architecture.attention_dropout;
    model.activation_dropout = architecture.activation_dropout;
  }
  architecture = std::move(model);
}

// Options that can do nothing beside the others of a run, and what to do about it.
std::map<std::string, std::string> idle_options(const TrainOptions& o) {
  std::map<std::string, std::string> idle;
  if (const std::string from = given_vocabulary(o); !from.empty())
    for (const char* name : {"vocab-size", "vocab-type", "character-coverage", "byte-fallback", "user-symbols",
                             "source-normalization", "target-normalization", "vocab-lines"})
      idle[name] = cat("is for a vocabulary that is trained, but this one is that of --", from, ": leave it out");
  if (o.guided_alignment.empty())
    for (const char* part : {"units", "weight", "layer", "head"})
      idle[cat("guided-alignment-", part)] = "is for --guided-alignment: give a file of alignments, or leave it out";
  if (o.text.separate_vocabs && o.architecture.tied == "all")
    idle["tied"] = "needs one vocabulary, but --separate-vocabs trains two: give --tied decoder or none";
  return idle;
}

void refuse_idle(const CLI::App& command, const TrainOptions& o) {
  for (const auto& [name, why] : idle_options(o))
    if (const CLI::Option* option = command.get_option("--" + name); option->count() > 0)
      throw UsageError(cat("--", name, " ", option->reduced_results().front(), " ", why));
}

std::string type_of(const std::string& name) {
  if (name == "model") return "DIR";
  if (name == "vocab") return "FILE";
  if (name == "init-from") return "MODEL";
  if (name == "train-sets" || name == "valid-sets" || name == "vocabs") return "SOURCE TARGET";
  if (name == "temp-dir") return "DIR";
  if (name == "valid-script") return "PROGRAM";
  return "";
}

size_t distance(const std::string& a, const std::string& b) {  // Levenshtein
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = std::exchange(row[j], next);
    }
  }
  return row[b.size()];
}

std::string nearest(const std::vector<std::string>& names, const std::string& word) {
  std::string best;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names)
    if (const size_t d = distance(word, name); d < least) least = d, best = name;
  return best;
}

std::vector<std::string> values_of(const YAML::Node& node) {
  if (!node.IsSequence()) return {node.as<std::string>()};
  return node.as<std::vector<std::string>>();
}

void set_from_file(Command& command, const std::string& path, const std::string& key, const YAML::Node& value) {
  const std::string where = cat(path, ":", value.Mark().line + 1, ": ");
  CLI::Option* option = command.get_option_no_throw("--" + key);
  if (!option || key == "config" || key == "help") {
    const std::string near = nearest_option(command, key);
    throw UsageError(cat(where, "there is no option '", key, "'", near.empty() ? "" : "; did you mean '" + near + "'?",
                         " Keys are the long option names of 'hexapla ", command.get_name(), " --help'"));
  }
  if (option->count() > 0) return;
  try {
    for (const std::string& v : values_of(value)) option->add_result(v);
    option->run_callback();
  } catch (const std::exception& e) {
    throw UsageError(cat(where, "'", key, "' cannot be ", YAML::Dump(value), ": ", e.what()));
  }
}

}  // namespace

std::string nearest_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return nearest(names, word);
}

std::string nearest_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return nearest(names, word);
}

void bind_train_options(Command& command, BoundTrainOptions& b) {
  command.add_option("-c,--config", b.config_file, "YAML file whose keys are long option names")->type_name("FILE");
  const std::set<std::string> of_recipes = options_of_recipes();
  const auto declare = [&](const std::string& name, auto& field, const std::string& help, const auto& allowed) {
    CLI::Option* option = declare_option(command, name, field, help, allowed);
    if (of_recipes.contains(name)) option->default_str("(preset)");
    if (const std::string type = type_of(name); !type.empty()) option->type_name(type);
    return option;
  };
  TrainOptions::visit(b.options, declare);
  command.add_option("--layers", b.layers, Range<int64_t>{1, 256}, "layers of both stacks, N")
      ->default_str("(preset)")
      ->group("Model");
  b.architecture = Config::preset(b.options.preset);
  Config::visit(b.architecture, [&](const std::string& name, auto& field, const char* help, const auto& allowed) {
    std::string list;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(allowed)>, Choices>)
      for (const auto& c : allowed) list += (list.empty() ? ": " : ", ") + c;
    declare(name, field, help + list, allowed)->group("Model");
  });
}

void read_config_file(Command& command, const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::Load(read_file(path));
  } catch (const DataError& e) {
    throw UsageError(cat("--config: ", e.what()));
  } catch (const YAML::Exception& e) {
    throw UsageError(cat(path, ":", e.mark.line + 1, ": not valid YAML: ", e.msg));
  }
  if (root.IsNull()) return;
  if (!root.IsMap()) throw UsageError(cat(path, ": a config file is a list of 'option: value' lines"));
  std::set<std::string> seen;
  for (const auto& entry : root) {
    const std::string key = entry.first.as<std::string>();
    if (!seen.insert(key).second)
      throw UsageError(cat(path, ":", entry.first.Mark().line + 1, ": '", key, "' stands here for the second time"));
    set_from_file(command, path, key, entry.second);
  }
}

TrainOptions resolve_train_options(Command& command, BoundTrainOptions& b) {
  if (!b.config_file.empty()) read_config_file(command, b.config_file);
  auto given = [&](const std::string& name) { return command.get_option("--" + name)->count() > 0; };
  TrainOptions options = preset_options(b.options.preset);
  if (!b.options.init_from.empty()) {
    b.options.init_from = model_file(b.options.init_from);
    start_with(config_of_model(b.options.init_from), given("preset"), options.architecture);
  }
  if (given("layers")) {
    if (given("enc-layers") || given("dec-layers"))
      throw UsageError("--layers sets both stacks; give either it or --enc-layers and --dec-layers");
    options.architecture.enc_layers = options.architecture.dec_layers = b.layers;
  }
  take_given(command, b.options, options);
  take_given(command, b.architecture, options.architecture);
  try {
    Config check = options.architecture;
    check.resolve();
  } catch (const UsageError& e) {
    const std::string from = options.init_from.empty() ? "--preset " + options.preset : "--init-from";
    throw UsageError(cat(e.what(), " (", from, " sets every dimension that you do not give)"));
  }
  make_room(command, options);
  refuse_idle(command, options);
  if (!options.init_from.empty())
    for (const char* result : {"model.safetensors", "best.safetensors"})
      refuse_to_overwrite({options.init_from}, "--model", options.model + "/" + result);
  return options;
}

namespace {
// The shortest digits that give the same number: 0.1, not 0.10000000000000001.
std::string plain(double value) { return fmt::format("{}", value); }
template <class T>
const T& plain(const T& value) {
  return value;
}
}  // namespace

std::string dump_config(const TrainOptions& options) {
  const auto idle = idle_options(options);
  YAML::Emitter out;
  out << YAML::BeginMap;
  TrainOptions::visit(options, [&](const std::string& name, const auto& field, const auto&...) {
    using T = std::remove_cvref_t<decltype(field)>;
    if (idle.contains(name)) return;
    if (name == "batch-tokens" && options.batch_tokens == 0) {
      out << YAML::Key << name << YAML::Value << "auto";
      return;
    }
    if constexpr (is_list<T>) {
      if (!field.empty()) out << YAML::Key << name << YAML::Value << YAML::Flow << field;
    } else {
      if constexpr (std::is_same_v<T, std::string>)
        if (field.empty()) return;
      out << YAML::Key << name << YAML::Value << plain(field);
    }
  });
  Config::visit(options.architecture, [&](const std::string& name, const auto& field, const auto&...) {
    if (!idle.contains(name)) out << YAML::Key << name << YAML::Value << plain(field);
  });
  out << YAML::EndMap;
  return out.c_str();
}

}  // namespace hexapla::cli
