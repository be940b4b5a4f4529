#pragma once
// The configurations that a tuning tries.
#include <set>
#include <string>
#include <vector>

#include "base/options/given_option.h"
#include "train/plan/options/options.h"

namespace hexapla::train::tune {

// A configuration, as changes to the baseline; the baseline itself has none.
struct Candidate {
  std::string
      name;  // "vocab-size 5000, dropout 0.4"; "preset tiny" for the baseline, or "preset tiny with the given dropout"
  std::vector<GivenOption> changes;
};

// At most `count` different candidates: the baseline, then those that most often help, then random
// ones, the same for the same arguments. Options in `settled` (given by the user), and those that
// depend on them, are never changed. pieces: size of the baseline's vocabulary; candidates have a
// half, a quarter or an eighth of it. The changes are
//   vocab-size, smaller: a small corpus has too few examples of rare pieces (Sennrich and Zhang 2019);
//   dropout, larger;
//   dim-model and dim-ff, twice as large;
//   subword-alpha: every epoch another segmentation (Kudo 2018);
//   the learning rate.
// Excludes smaller models and less dropout: in a training much shorter than the one it represents,
// they look better than they are.
std::vector<Candidate> make_candidates(const train::TrainOptions& baseline, const std::set<std::string>& settled,
                                       int64_t pieces, size_t count);

// Estimated time per update relative to the baseline, before it is measured.
double expected_cost(const Candidate& candidate);

}  // namespace hexapla::train::tune
