#include "lib/files/usage.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/options/given_option.h"
#include "base/range.h"
#include "decode/options/named/search_defaults.h"
#include "model/weights/model_file.h"

namespace hexapla::api {
namespace {

void change_search(model::Usage& usage, const std::string& name, const std::string& value) {
  const std::vector<std::string> names = names_of(decode::DecodingOptions().rows_of_search());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all = "alignment-layer, alignment-head";
    for (const std::string& known : names) all += ", " + known;
    throw UsageError(cat("a model has no record of '", name, "'; it has ", all), name, value);
  }
  if (value.empty())
    usage.search.erase(name);
  else
    usage.search[name] = value;
  decode::check_search(usage);
}

// name: a search option ("beam-size"), alignment-layer or alignment-head; value: as for the option,
// "" for none. UsageError naming name and value: unknown field, or a value invalid for models of
// this configuration.
void change_usage(model::Usage& usage, const std::string& name, const std::string& value, const model::Config& config) {
  const auto index = [&](int64_t count) -> std::optional<int64_t> {
    if (value.empty()) return {};
    return Range<int64_t>{0, count - 1}.parse(name, value);
  };
  if (name == "alignment-layer")
    usage.alignment_layer = index(config.dec_layers);
  else if (name == "alignment-head")
    usage.alignment_head = index(config.heads);
  else
    change_search(usage, name, value);
}

}  // namespace

model::Usage set_usage(const std::string& model, const std::vector<std::string>& changes, const std::string& output) {
  const std::string file = model::model_file(model);
  const model::LoadedModel m = model::load_to_translate(file);
  model::Usage usage = m.usage;
  std::set<std::string> changed;
  for (const std::string& change : changes) {
    const size_t equals = change.find('=');
    if (equals == change.npos)
      throw UsageError(cat("'", change, "' is not NAME=VALUE; NAME= alone removes a value"), "changes", change);
    const std::string name = change.substr(0, equals);
    if (!changed.insert(name).second) throw UsageError("'" + name + "' is changed twice; give it once", name, change);
    change_usage(usage, name, change.substr(equals + 1), m.config);
  }
  model::copy_with_usage(file, usage, output);
  return usage;
}

}  // namespace hexapla::api
