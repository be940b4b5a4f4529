#pragma once
// The experiments of a request: "changes" of the model or of the source's tokens.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "hexapla/inspector.h"

namespace hexapla::serve {

struct RequestedChanges {
  ModelChanges model;
  std::optional<std::vector<std::string>> source_tokens;
};

// {"scale": false, "mask": false, "positions": false, "heads": [["encoder", 1, 2]], "source_tokens": [...]}, each
// optional; none if the request has no "changes". UsageError: another member, or a value of another kind.
std::optional<RequestedChanges> changes_member(const nlohmann::json& request);

}  // namespace hexapla::serve
