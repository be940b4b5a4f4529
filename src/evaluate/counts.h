#pragma once
// What BLEU and chrF share.
#include <cstddef>
#include <string>

#include "base/error.h"

namespace hexapla {

inline std::string metric_version() { return "hexapla-" HEXAPLA_VERSION; }

// DataError unless there is one reference for every hypothesis, and at least one.
inline void check_sentence_counts(const char* metric, size_t hypotheses, size_t references) {
  if (hypotheses != references) {
    throw DataError(cat(metric, " of ", hypotheses, " hypotheses against ", references,
                        " references: line i of one must belong to line i of the other"));
  }
  if (hypotheses == 0) throw DataError(cat(metric, " of no sentence at all: give at least one line"));
}

}  // namespace hexapla
