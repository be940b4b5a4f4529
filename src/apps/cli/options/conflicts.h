#pragma once
// A table of mutually exclusive options.
#include <map>
#include <span>
#include <string_view>

#include "base/error.h"

namespace hexapla::cli {

struct Conflict {
  const char* option;
  const char* other;
  const char* message;
};

// Throws UsageError with the message of the first conflict in the table whose two options are
// given.
inline void refuse_conflicts(std::span<const Conflict> table, const std::map<std::string_view, bool>& given) {
  for (const Conflict& c : table)
    if (given.at(c.option) && given.at(c.other)) throw UsageError(c.message);
}

}  // namespace hexapla::cli
