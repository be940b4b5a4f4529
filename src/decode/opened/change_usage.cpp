#include "decode/opened/change_usage.h"

#include <algorithm>

#include "base/error.h"
#include "base/options/given_option.h"
#include "base/range.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla::decode {
namespace {

void change_search(model::Usage& usage, const std::string& name, const std::string& value) {
  const std::vector<std::string> names = names_of<decode::BeamOptions>();
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

}  // namespace

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

}  // namespace hexapla::decode
