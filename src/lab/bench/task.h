#pragma once
// What the small models of the laboratory learn.
#include <cstdint>
#include <string>

#include "data/training_text.h"

namespace hexapla::lab {

struct Task {
  std::string name;  // "dates"
  data::Corpus train, test;
  int64_t longest = 64;  // tokens a side
  int pieces = 120;      // of the joint vocabulary
};

// Days as people write them to their ISO form (data/dates/dates.h): the cheapest task that needs every part of a
// Transformer. None of the `test` days is among those of the training.
Task dates(int64_t test);
std::string about_dates(int64_t test);  // a sentence for reports

// Strings of `shortest` to `longest` digits, backwards: "4 1 7" to "7 1 4". It cannot be done without the order of the
// source. `test` pairs of these lengths that are not in training.
Task reversal(int64_t shortest, int64_t longest, int64_t test);
// More pairs for such a model: of other lengths.
data::Corpus reversed_digits(int64_t shortest, int64_t longest, int64_t pairs, uint64_t seed);

}  // namespace hexapla::lab
