#include "convert/kinds/mapped/mapped_safetensors.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files/file.h"
#include "base/options/option_json.h"
#include "convert/containers/safetensors_model.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "convert/texts/source_start.h"
#include "convert/texts/token_list.h"
#include "decode/options/named/search_defaults.h"
#include "model/transformer.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;

std::string tensors_at(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return path;
  for (const char* name : {"/model.safetensors", "/model.safetensors.index.json"})
    if (is_file(path + name)) return path + name;
  throw DataError(
      cat(path, ": there is no model.safetensors and no model.safetensors.index.json; the folder is ", "incomplete"));
}

std::string map_of(const std::string& path, const ImportOptions& options) {
  if (!options.map.empty()) return options.map;
  if (is_file(path + "/map.json")) return path + "/map.json";
  throw UsageError(cat("`map` is missing: a JSON file that says which tensors of ", path, " are which parameters"),
                   "map", "");
}

// The map's settings, with defaults for the rest.
model::Config config_in(const JsonFile& map) {
  const json& given = map.value("config");
  if (!given.is_object()) map.refuse("config", "an object: {\"dim-model\": 512, ...}");
  const model::Config usual;
  json all = parse_json(usual.to_json(), "a configuration");
  for (const OptionRow& row : rows_of(usual)) all[row.name] = json_of(row);
  for (const auto& [key, value] : given.items()) {
    if (!all.contains(key)) map.refuse("config", cat("an object of fields of a model; none is called ", shown(key)));
    all[key] = value;
  }
  model::Config c = model::Config::from_json(json_text(all), map.path());
  resolve(c, map.path());
  if (c.norm == "batch") map.refuse("config", "a model without BatchNorm: its statistics are no parameters");
  return c;
}

// "encoder.layers.12.x" -> {"encoder.layers.{i}.x", "12"}; without a number: itself, "".
std::pair<std::string, std::string> pattern_of(const std::string& name) {
  const size_t at = name.find(".layers.");
  if (at == std::string::npos) return {name, ""};
  const size_t from = at + std::string_view(".layers.").size();
  const size_t to = std::min(name.find_first_not_of("0123456789", from), name.size());
  return {name.substr(0, from) + "{i}" + name.substr(to), name.substr(from, to - from)};
}

std::string with_number(std::string text, const std::string& number) {
  for (size_t at = text.find("{i}"); at != std::string::npos; at = text.find("{i}", at + number.size()))
    text.replace(at, 3, number);
  return text;
}

class MapReader {
 public:
  MapReader(const JsonFile& map, const model::Config& config) : map_(map), config_(config) {
    const json& found = map.value("tensors");
    if (!found.is_null() && !found.is_object()) map.refuse("tensors", "an object: {\"parameter\": \"tensor\", ...}");
    given_ = found.is_null() ? json::object() : found;
  }

  WeightMap read() {
    WeightMap weights;
    model::Transformer net(config_);
    model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
      weights.origins[name] = origin_of(name, static_cast<size_t>(p.shape[0]));
    });
    for (const auto& [key, value] : given_.items())
      if (!used_.contains(key))
        map_.refuse("tensors", cat("an object of parameters; this model has none that is called ", shown(key)));
    const json& ignored = map_.value("ignored");
    if (!ignored.is_null() && !ignored.is_array()) map_.refuse("ignored", "a list of names");
    for (const json& name : ignored) weights.ignored.push_back(text(name, "ignored"));
    return weights;
  }

 private:
  Origin origin_of(const std::string& name, size_t rows) {
    const auto [pattern, number] = pattern_of(name);
    for (const std::string& key : {name, pattern}) {
      const auto found = given_.find(key);
      if (found == given_.end()) continue;
      used_.insert(key);
      return origin(*found, key, number, rows);
    }
    return {{{name}}, Layout::stacked};
  }
  Origin origin(const json& value, const std::string& key, const std::string& number, size_t rows) const {
    if (value.is_null()) return {{{"", 0, rows}}, Layout::stacked};
    Origin result;
    const json& names = value.is_object() ? member(value, "tensors", key) : value;
    if (value.is_object() && value.contains("layout")) result.layout = layout(value.at("layout"), key);
    for (const json& one : names.is_array() ? names : json::array({names}))
      result.parts.push_back({with_number(text(one, key), number)});
    if (result.parts.empty()) refuse(key);
    return result;
  }
  const json& member(const json& object, const char* name, const std::string& key) const {
    const auto found = object.find(name);
    if (found == object.end()) refuse(key);
    return *found;
  }
  Layout layout(const json& value, const std::string& key) const {
    if (value == "stacked") return Layout::stacked;
    if (value == "beside") return Layout::beside;
    if (value == "transposed") return Layout::transposed;
    refuse(key);
  }
  std::string text(const json& value, const std::string& key) const {
    if (!value.is_string() || value.get_ref<const std::string&>().empty()) refuse(key);
    return value.get<std::string>();
  }
  [[noreturn]] void refuse(const std::string& key) const {
    map_.refuse(key == "ignored" ? key : "tensors",
                cat("for ", shown(key), " the name of a tensor, a list of names, null, or {\"tensors\": [names], ",
                    "\"layout\": \"stacked\", \"beside\" or \"transposed\"}"));
  }

  const JsonFile& map_;
  const model::Config& config_;
  json given_;
  std::set<std::string> used_;
};

// A file in the map's folder, named without a folder.
std::string vocabulary_in(const JsonFile& map, const char* key) {
  const std::string name = map.word(key, "");
  if (name.find('/') != std::string::npos) map.refuse(key, "a file beside the map, named without a folder");
  return name.empty() ? "" : (std::filesystem::path(map.path()).parent_path() / name).string();
}

model::Usage usage_in(const JsonFile& map) {
  const json& given = map.value("usage");
  if (given.is_null()) return {};
  model::Usage usage = model::Usage::from_json(json_text(given), map.path());
  try {
    decode::check_search(usage);
  } catch (const UsageError& e) {
    throw DataError(cat(map.path(), ": 'usage': ", e.what()));
  }
  return usage;
}

}  // namespace

bool is_mapped_safetensors(const std::string& folder) {
  return is_file(folder + "/map.json") &&
         (is_file(folder + "/model.safetensors") || is_file(folder + "/model.safetensors.index.json"));
}

ForeignModel read_mapped_safetensors(const std::string& path, const ImportOptions& options) {
  const JsonFile map(map_of(path, options));
  ForeignModel m{.origin = "safetensors with a map", .config = config_in(map)};
  m.tensors = std::make_shared<SafetensorsModel>(tensors_at(path));
  m.weights = MapReader(map, m.config).read();
  check(m.weights, m.config, *m.tensors);
  const auto either = [](const std::string& a, const std::string& b) { return a.empty() ? b : a; };
  const std::string source = either(options.source_vocab, vocabulary_in(map, "source_vocabulary")),
                    target = either(either(options.target_vocab, vocabulary_in(map, "target_vocabulary")), source);
  m.text.source_vocabulary = read_vocabulary(source, "source-vocab", options.source_spm, m.config.source_vocab);
  m.text.target_vocabulary =
      read_vocabulary(target, "target-vocab", either(options.target_spm, options.source_spm), m.config.target_vocab);
  // Our own exports have vocabularies that say it.
  if (!options.source_start.empty() || !is_piece_model(source)) start_sources(m, options, false);
  m.text.usage = usage_in(map);
  check(m.text.usage, m.config, map.path());
  return m;
}

}  // namespace hexapla::convert
