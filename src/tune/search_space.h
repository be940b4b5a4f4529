#pragma once
// Which configurations a tuning tries.
#include <set>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "train/options/options.h"

namespace hexapla::tune {

// A configuration: what it changes of the baseline, which changes nothing.
struct Candidate {
  std::string name;  // "vocab-size 5000, dropout 0.4"; of the baseline "preset tiny"
  std::vector<GivenOption> changes;
};

// At most `count` different ones. The first is the baseline, the next are those that most often pay, and the rest are
// drawn at random, the same for the same arguments. What is among `settled` (the names of options that the user gave)
// is never changed, nor what follows from it. pieces: of the baseline's vocabulary; others are a half, a quarter and an
// eighth of it. Changed are
//   vocab-size, smaller: a small corpus has too few examples of rare pieces (Sennrich and Zhang 2019);
//   dropout, larger;
//   dim-model and dim-ff, twice as large;
//   subword-alpha: every epoch another segmentation (Kudo 2018);
//   the learning rate.
// Smaller models, less dropout and R-Drop are not among them: in a training that is much shorter than the one it stands
// for, the first two look better than they are, and the last looks worse.
std::vector<Candidate> make_candidates(const train::TrainOptions& baseline, const std::set<std::string>& settled,
                                       int64_t pieces, size_t count);

// How long an update takes, in updates of the baseline, where it has not been measured yet.
double expected_cost(const Candidate& candidate);

}  // namespace hexapla::tune
