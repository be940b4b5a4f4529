#pragma once
// Tasks that the laboratory's small models learn.
#include <cstdint>
#include <string>

#include "data/training_text.h"

namespace hexapla::lab {

struct Task {
  std::string name;  // "dates"
  data::Corpus train, test;
  int64_t longest = 64;  // tokens per side
  int pieces = 120;      // in the joint vocabulary
};

// Translates written dates to ISO dates (data/dates/dates.h): the cheapest task that needs every
// part of a Transformer. Test and training days are disjoint.
Task dates(int64_t test);
std::string about_dates(int64_t test);  // a sentence for reports

// Reverses strings of `shortest` to `longest` digits, "4 1 7" to "7 1 4", which requires the order
// of the source. The `test` pairs have these lengths and are not in training.
Task reversal(int64_t shortest, int64_t longest, int64_t test);
// More pairs for such a model, with other lengths.
data::Corpus reversed_digits(int64_t shortest, int64_t longest, int64_t pairs, uint64_t seed);

}  // namespace hexapla::lab
