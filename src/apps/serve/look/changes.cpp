#include "serve/look/changes.h"

#include "base/error.h"
#include "serve/look/look.h"
#include "serve/look/request.h"

namespace hexapla::serve {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostHeads = 256;

void read(bool& to, const std::string& name, const Json& value) {
  if (!value.is_boolean())
    throw UsageError(cat("\"", name, "\" of \"changes\" must be true or false, not ", json_text(value)), name, "");
  to = value.get<bool>();
}

RemovedHead head_of(const Json& entry) {
  const bool right = entry.is_array() && entry.size() == 3 && entry[0].is_string() && entry[1].is_number_integer() &&
                     entry[2].is_number_integer();
  if (!right)
    throw UsageError(cat("a head in \"heads\" must be like [\"encoder\", 1, 2], an attention (encoder, decoder or "
                         "cross), a layer and a head, not ",
                         json_text(entry)),
                     "heads", "");
  return {entry[0].get<std::string>(), entry[1].get<std::int64_t>(), entry[2].get<std::int64_t>()};
}

std::vector<RemovedHead> heads_of(const Json& value) {
  if (!value.is_array() || value.size() > kMostHeads)
    throw UsageError(cat("\"heads\" must be a list of at most ", kMostHeads, " heads"), "heads", "");
  std::vector<RemovedHead> all;
  for (const Json& entry : value) all.push_back(head_of(entry));
  return all;
}

}  // namespace

std::optional<RequestedChanges> changes_member(const Json& request) {
  const auto found = request.is_object() ? request.find("changes") : request.end();
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_object()) throw UsageError("\"changes\" must be an object, {\"scale\": false}", "changes", "");
  RequestedChanges changes;
  for (const auto& [name, value] : found->items()) {
    if (name == "scale")
      read(changes.model.scale, name, value);
    else if (name == "mask")
      read(changes.model.mask, name, value);
    else if (name == "positions")
      read(changes.model.positions, name, value);
    else if (name == "heads")
      changes.model.removed_heads = heads_of(value);
    else if (name == "source_tokens")
      changes.source_tokens = list_member(*found, "source_tokens", kLongestSide);
    else
      throw UsageError(
          cat("\"changes\" cannot have \"", name, "\"; it may have scale, mask, positions, heads and source_tokens"),
          name, "");
  }
  return changes;
}

}  // namespace hexapla::serve
