#pragma once
// What a tuning has found so far, kept in its folder.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "tune/search_space.h"

namespace hexapla::tune {

// Of a candidate at the end of a rung.
struct Measurement {
  double bits = 0;                  // per character of the references: -log2 of their probability
  double seconds = 0;               // of training, from its beginning; on a busy machine more
  int64_t updates = 0, tokens = 0;  // target tokens; from its beginning
  std::optional<double> quality;    // of translations, by the metric: in the last rung
};

struct Trial {
  Candidate candidate;
  std::string out;         // why it did not go on to its next rung though it was to; empty: it did
  int64_t parameters = 0;  // of its model; 0: not known yet
  std::vector<Measurement> rungs;
};

struct Record {
  nlohmann::ordered_json settings;  // those that decide the result
  std::string metric;               // bleu or chrf
  double spent = 0;                 // seconds of all starts
  double overhead = 0;              // of those, beside training
  std::vector<double> seconds;      // of each rung that has begun: how long the baseline was to train by its end
  std::vector<Trial> trials;

  int64_t measured() const;  // measurements, all together
};

// Nothing where there is no such file. DataError naming it: it is damaged.
std::optional<Record> read_record(const std::string& path);
void write_record(const std::string& path, const Record& record);  // RunError

}  // namespace hexapla::tune
