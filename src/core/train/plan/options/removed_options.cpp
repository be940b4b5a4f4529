#include "train/plan/options/removed_options.h"

#include <algorithm>

#include "base/options/option_names.h"

namespace hexapla::train {
namespace {

struct RemovedOption {
  const char* name;
  double off;  // the value that had no effect
  const char* why;
};
constexpr RemovedOption kRemovedOptions[] = {
    {"r-drop", 0,
     "was removed, because R-Drop made translations worse at twice the cost: train without it, or use hexapla 0.1.0 of "
     "commit be5f735, which still has it"},
};

const RemovedOption* removed_option(const std::string& name) {
  const auto* const found =
      std::find_if(std::begin(kRemovedOptions), std::end(kRemovedOptions),
                   [&](const RemovedOption& option) { return name == option.name || name == as_field(option.name); });
  return found == std::end(kRemovedOptions) ? nullptr : found;
}

}  // namespace

bool was_removed(const GivenOption& option) {
  const RemovedOption* const found = removed_option(option.name);
  if (!found) return false;
  const std::string value = option.values.empty() ? "" : option.values.front();
  if (option.values.size() == 1 && parse_number<double>(value) == found->off) return true;
  throw UsageError(cat(at(option), "`", found->name, "` is ", value, ", but this option ", found->why), found->name,
                   value);
}

std::string why_removed(const std::string& name) {
  const RemovedOption* const found = removed_option(name);
  return found ? found->why : "";
}

}  // namespace hexapla::train
