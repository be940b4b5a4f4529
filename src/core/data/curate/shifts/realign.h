#pragma once
// Writes text whose sides are shifted against each other so that they correspond again: the lines on the path that
// find_shifts() found by length, and ChangeLocator made exact by words (docs/adr/0013).
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/curate/pairs/findings.h"
#include "data/curate/shifts/change_locator.h"
#include "data/curate/shifts/shifts.h"
#include "data/files/parallel_text.h"

namespace hexapla::data {

struct Realigned {
  static constexpr size_t kLook = 20;  // pairs

  int64_t kept = 0;                                  // pairs
  int64_t source_left_out = 0, target_left_out = 0;  // lines without a partner
  std::vector<FaultExample> look;  // pairs from each place on, for people to see whether they belong together
};

// Reads the text again and writes SOURCE and TARGET, or one TSV. Leaves out lines without a partner and lost passages.
// Holds as many lines as the largest shift. Errors as RawReader and LineWriter.
Realigned realign(const ParallelSource& text, std::span<const ShiftPlace> places, std::span<const LostPassage> lost,
                  const std::vector<std::string>& files);

}  // namespace hexapla::data
