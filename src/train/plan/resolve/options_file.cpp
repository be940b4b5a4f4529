// Reads and writes the options of a run as YAML.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "base/error.h"
#include "base/files/file.h"
#include "train/plan/resolve/idle_options.h"
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

// Shortest digits that read back as the same number: 0.1, not 0.10000000000000001. The YAML emitter
// would format numbers by the global locale.
template <class T>
auto plain(const T& value) {
  if constexpr (Number<T>)
    return fmt::format("{}", value);
  else if constexpr (is_word<T>)
    return value.text();
  else
    return value;
}
template <class T>
auto plain(const std::vector<T>& values) {
  std::vector<decltype(plain(T()))> all;
  for (const T& value : values) all.push_back(plain(value));
  return all;
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
  return dump_options(options, {all.begin(), all.end()});
}

std::string dump_options(const TrainOptions& options, std::set<std::string> names) {
  if (names.contains("layers")) names.insert({"enc-layers", "dec-layers"});
  for (const std::string& idle : idle_options(options)) names.erase(idle);
  YAML::Emitter out;
  out << YAML::BeginMap;
  TrainOptions::visit(options, [&](const std::string& name, const auto& field, const std::string&, const auto& allowed,
                                   const auto&...) {
    using T = std::remove_cvref_t<decltype(field)>;
    if (!names.contains(name)) return;
    if constexpr (requires { allowed.zero, field == 0; })
      if (allowed.zero && field == 0) {  // the parser rejects a literal 0
        out << YAML::Key << name << YAML::Value << allowed.zero;
        return;
      }
    if constexpr (is_list<T>) {
      if (!field.empty()) out << YAML::Key << name << YAML::Value << YAML::Flow << plain(field);
    } else {
      if constexpr (std::is_same_v<T, std::string>)
        if (field.empty()) return;
      out << YAML::Key << name << YAML::Value << plain(field);
    }
  });
  model::Config::visit(options.architecture, [&](const std::string& name, const auto& field, const auto&...) {
    if (names.contains(name)) out << YAML::Key << name << YAML::Value << plain(field);
  });
  out << YAML::EndMap;
  return out.c_str();
}

}  // namespace hexapla::train
