#include "model/weights/mixed_precision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "model/weights/quantize.h"

namespace hexapla::model {

std::vector<std::string> quantizable_parts(model::Transformer& net) {
  std::vector<std::string> parts;
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    if (!model::quantizable(name, p)) return;
    const size_t layer = name.find("layers.");
    const std::string part = layer == std::string::npos ? name : name.substr(0, name.find('.', layer + 7) + 1);
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  });
  return parts;
}

void check_kept(model::Transformer& net, const std::vector<std::string>& kept) {
  for (const std::string& part : kept) {
    bool found = false;
    model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
      found |= name.starts_with(part) && model::quantizable(name, p).has_value();
    });
    if (!found)
      throw UsageError(cat("`keep` ", part, ": the model has nothing of that name to quantize; it has ",
                           fmt::format("{}", fmt::join(quantizable_parts(net), " "))),
                       "keep", part);
  }
}

std::vector<std::string> parts_to_keep(const MixedPrecisionSearch& search, std::vector<std::string> parts,
                                       std::vector<std::string> kept, double now) {
  while (search.whole - now > search.max_drop && !parts.empty()) {
    double best = -1;
    size_t which = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      std::vector<std::string> more = kept;
      more.push_back(parts[i]);
      const double with = search.measure(more);
      search.watch(parts[i], with, false);
      if (with > best) best = with, which = i;
    }
    kept.push_back(parts[which]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(which));
    now = best;
    search.watch(kept.back(), now, true);
  }
  return kept;
}

}  // namespace hexapla::model
