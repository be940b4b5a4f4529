#pragma once
#include <string>

#include "lib/jobs/watch.h"

namespace hexapla::api {

struct ShortlistJob {
  std::string model;           // its pieces are listed
  std::string source, target;  // text files that the model aligns
  std::string lexicon;         // or a table of probabilities instead
  std::string output;
  int64_t first = 100;  // number of pieces with the lowest ids, allowed for every line
  int64_t best = 100;   // maximum number of pieces listed for a source piece
};

struct ShortlistSize {
  int64_t source_pieces = 0;  // that have a list
  int64_t vocabulary = 0;     // all source pieces
  double average = 0;         // length of a list
};

// Writes a list of the pieces that translations may use (decode/steps/shortlist.h). DataError: text
// without a pair of words; errors of the files.
ShortlistSize make_shortlist(const ShortlistJob& job, const JobWatch& watch);

}  // namespace hexapla::api
