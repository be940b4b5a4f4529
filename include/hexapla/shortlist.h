#pragma once
// Shortlists: the pieces that a translation may have, given those of its source (ModelOptions::shortlist).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"

namespace hexapla {

struct ShortlistOptions {
  int first = 100;  // the most frequent pieces (lowest ids), which every line may use, 0 to 100,000
  int best = 100;   // most pieces listed for a source piece, 0 to 100,000
  // Called for every line that was truncated or not UTF-8, with its number, from 1, and what was done.
  std::function<void(std::size_t line, const std::string& what)> warn{};
  // Called with the number of pairs that are aligned so far, after every few thousand.
  std::function<void(std::size_t pairs)> on_progress{};
};

struct ShortlistSize {
  std::int64_t source_pieces = 0;  // that have a list
  std::int64_t vocabulary = 0;     // all source pieces
  double average = 0;              // length of a list
};

// Writes a shortlist for this model, a file or the folder of a training, in Marian's binary format to `output`. from:
// two text files with matching lines, whose pieces the model aligns, or one table of probabilities, TARGET SOURCE
// PROBABILITY per line, as Marian's tools write it. UsageError: another number of files. DataError: text without a pair
// of words, a table without a piece of the model, errors of the files. RunError: `output` cannot be written.
HEXAPLA_API ShortlistSize make_shortlist(const std::string& model, const std::vector<std::string>& from,
                                         const std::string& output, const ShortlistOptions& options = {});

}  // namespace hexapla
