#include "cli/options.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/file.h"

namespace hexapla::cli {
namespace {

template <class T>
CLI::Option* declare_option(CLI::App& command, const std::string& name, T& field, const std::string& help) {
  const std::string flag = "--" + name;
  if constexpr (std::is_same_v<T, bool>)
    return command.add_flag(flag, field, help);
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return command.add_option(flag, field, help)->expected(2)->type_name("SOURCE TARGET");
  else {
    CLI::Option* option = command.add_option(flag, field, help);
    if constexpr (std::is_same_v<T, std::string>)
      option->default_str(field);
    else
      option->default_str(fmt::format("{}", field));
    if constexpr (std::is_unsigned_v<T>) option->check(CLI::NonNegativeNumber);
    return option;
  }
}

std::string type_of(const std::string& name) {
  if (name == "model") return "DIR";
  if (name == "vocab") return "FILE";
  return "";
}

// A run that was told no end stops when it no longer gets better, or after a number of epochs where nothing is
// measured.
void set_default_end(TrainOptions& o) {
  if (o.max_updates > 0 || o.max_epochs > 0 || o.max_minutes > 0 || o.patience > 0) return;
  if (o.valid_sets.empty())
    o.max_epochs = 30;
  else
    o.patience = 10;
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

void set_from_file(CLI::App& command, const std::string& path, const std::string& key, const YAML::Node& value) {
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

void bind_train_options(CLI::App& command, BoundTrainOptions& b) {
  command.add_option("-c,--config", b.config_file, "YAML file whose keys are long option names")->type_name("FILE");
  TrainOptions::visit(b.options, [&](const std::string& name, auto& field, const char* help) {
    CLI::Option* option = declare_option(command, name, field, help);
    if (const std::string type = type_of(name); !type.empty()) option->type_name(type);
  });
  command.add_option("--layers", b.layers, "layers of both stacks, N")->group("Model");
  const Config base = Config::preset(b.options.preset);
  b.architecture = base;
  Config::visit(b.architecture, [&](const std::string& name, auto& field, const char* help, const auto& choices) {
    std::string list;
    for (const auto& c : choices) list += (list.empty() ? ": " : ", ") + c;
    CLI::Option* option = declare_option(command, name, field, help + list)->group("Model");
    option->default_str("");  // the preset's
  });
}

void read_config_file(CLI::App& command, const std::string& path) {
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

TrainOptions resolve_train_options(CLI::App& command, BoundTrainOptions& b) {
  if (!b.config_file.empty()) read_config_file(command, b.config_file);
  auto given = [&](const std::string& name) { return command.get_option("--" + name)->count() > 0; };
  TrainOptions options = b.options;
  options.architecture = Config::preset(options.preset);
  if (given("layers")) {
    if (given("enc-layers") || given("dec-layers"))
      throw UsageError("--layers sets both stacks; give either it or --enc-layers and --dec-layers");
    options.architecture.enc_layers = options.architecture.dec_layers = b.layers;
  }
  Config::visit(options.architecture, [&](const char* name, auto& field, const char*, const auto&) {
    if (!given(name)) return;
    Config::visit(b.architecture, [&](const char* other, auto& value, const char*, const auto&) {
      if constexpr (std::is_same_v<decltype(field), decltype(value)>)
        if (std::string_view(other) == name) field = value;
    });
  });
  try {
    Config check = options.architecture;
    check.resolve();
  } catch (const UsageError& e) {
    throw UsageError(cat(e.what(), " (--preset ", options.preset, " sets every dimension that you do not give)"));
  }
  set_default_end(options);
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
  YAML::Emitter out;
  out << YAML::BeginMap;
  TrainOptions::visit(options, [&](const char* name, const auto& field, const char*) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (!field.empty()) out << YAML::Key << name << YAML::Value << YAML::Flow << field;
    } else {
      if constexpr (std::is_same_v<T, std::string>)
        if (field.empty()) return;
      out << YAML::Key << name << YAML::Value << plain(field);
    }
  });
  Config::visit(options.architecture, [&](const char* name, const auto& field, const char*, const auto&) {
    out << YAML::Key << name << YAML::Value << plain(field);
  });
  out << YAML::EndMap;
  return out.c_str();
}

}  // namespace hexapla::cli
