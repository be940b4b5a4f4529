#pragma once
// The results of a tuning so far, kept in its folder.
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "lib/tune/search_space.h"

namespace hexapla::train::tune {

// A candidate at the end of a rung.
struct Measurement {
  double bits = 0;                  // per character of the references: -log2 of their probability
  double seconds = 0;               // of training, since its start; longer on a busy machine
  int64_t updates = 0, tokens = 0;  // target tokens; since its start
  std::optional<double> quality;    // of translations, by the metric; only in the last rung
};

struct Trial {
  Candidate candidate;
  std::string out;         // why it left before its next rung; empty: it did not
  int64_t parameters = 0;  // of its model; 0: unknown
  std::vector<Measurement> rungs;
};

struct Record {
  nlohmann::ordered_json settings;  // those that affect the result
  std::string metric;               // bleu or chrf
  double spent = 0;                 // seconds, over all starts
  double overhead = 0;              // of these, not spent on training
  std::vector<double> seconds;      // per started rung: the baseline's planned training time by its end
  std::vector<Trial> trials;

  int64_t measured() const;  // total number of measurements
};

// None if there is no such file. DataError naming the file: damaged.
std::optional<Record> read_record(const std::string& path);
void write_record(const std::string& path, const Record& record);  // RunError

}  // namespace hexapla::train::tune
