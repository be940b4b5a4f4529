// Reads and writes the options of a run as YAML.
#include <yaml-cpp/yaml.h>

#include <set>

#include "base/error.h"
#include "base/files/file.h"
#include "train/plan/resolve/idle_options.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train {
namespace {

std::vector<std::string> values_of(const YAML::Node& node, const std::string& where) {
  try {
    if (node.IsSequence()) return node.as<std::vector<std::string>>();
    return {node.as<std::string>()};
  } catch (const YAML::Exception&) {
    throw UsageError(cat(where, " cannot be ", YAML::Dump(node), ": give a value, or a list of values"));
  }
}

// A value as YAML. The emitter would format numbers by the global locale.
void emit(const OptionRow& row, YAML::Emitter& out) {
  const std::vector<std::string> words = row.words();
  if (words.empty() || (words.size() == 1 && words.front().empty())) return;
  out << YAML::Key << row.name << YAML::Value;
  if (row.is_list())
    out << YAML::Flow << words;
  else if (row.is_switch())
    out << (words.front() == "true");
  else
    out << words.front();
}

}  // namespace

std::vector<GivenOption> read_options_file(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::Load(read_file(path));
  } catch (const DataError& e) {
    throw UsageError(cat("`config`: ", e.what()));
  } catch (const YAML::Exception& e) {
    throw UsageError(cat(path, ":", e.mark.line + 1, ": not valid YAML: ", e.msg));
  }
  if (root.IsNull()) return {};
  if (!root.IsMap()) throw UsageError(cat(path, ": a config file consists of 'option: value' lines"));
  std::vector<GivenOption> given;
  std::set<std::string> seen;
  for (const auto& entry : root) {
    const std::string location = cat(path, ":", entry.first.Mark().line + 1);
    const std::string key = values_of(entry.first, location + ": a key").front();
    if (!seen.insert(key).second) throw UsageError(cat(location, ": '", key, "' is given twice"));
    given.push_back(
        {key, values_of(entry.second, cat(location, ": '", key, "'")), location, entry.second.IsSequence()});
  }
  return given;
}

std::string dump_options(const TrainOptions& options) {
  const std::vector<std::string> all = names_of_options();
  if (options.preset != kAutomatic) return dump_options(options, {all.begin(), all.end()});
  std::set<std::string> given{"preset"};
  for (const GivenOption& option : options.given) given.insert(option.name);
  return dump_options(options, given);
}

std::string dump_options(const TrainOptions& options, std::set<std::string> names) {
  if (names.contains("layers")) names.insert({"enc-layers", "dec-layers"});
  for (const std::string& idle : idle_options(options)) names.erase(idle);
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const OptionRow& row : all_rows(options))
    if (names.contains(row.name)) emit(row, out);
  out << YAML::EndMap;
  return out.c_str();
}

}  // namespace hexapla::train
