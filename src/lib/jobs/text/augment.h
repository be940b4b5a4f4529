#pragma once
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "decode/augment/augment.h"
#include "hexapla/translator.h"
#include "lib/jobs/watch.h"

namespace hexapla::api {

struct AugmentJob {
  bool distill = false, both = false;  // or text to translate back:
  std::string text;
  std::vector<std::string> sets;    // pairs to start from: source and target files in turn, or .tsv files
  bool tsv = false;                 // every set is one TSV file, whatever its extension
  std::vector<std::string> output;  // SOURCE TARGET
  std::string tag = "<BT>";         // first word of back-translated sources; "": none
  std::vector<std::string> models;
  ModelOptions how;
  std::vector<GivenOption> search;  // the given options

  bool translates() const { return distill || !text.empty(); }
};

// Generates more training pairs (decode/augment/augment.h). UsageError: options that are missing or
// exclude each other.
decode::AugmentCounts make_pairs(const AugmentJob& job, const JobWatch& watch);

}  // namespace hexapla::api
