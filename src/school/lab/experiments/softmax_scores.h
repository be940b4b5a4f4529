#pragma once
// Alternatives to softmax for turning scores into weights.
#include <array>

#include "lab/experiment.h"

namespace hexapla::lab {

struct ScoreVariant {
  const char *score, *what;  // value of Config::score; its formula
};
constexpr std::array kScores = {ScoreVariant{"scaled-dot", "softmax"},
                                ScoreVariant{"sigmoid", "1 / (1 + n exp(-s))"},
                                ScoreVariant{"relu", "max(0, s) / n"},
                                ScoreVariant{"linear-kernel", "phi(q) phi(k) / sum"},
                                ScoreVariant{"top-4", "softmax of the four highest"},
                                ScoreVariant{"unnormalized", "s / n"}};
constexpr const char* kScoreNotation =
    "s is q k / sqrt(d_k), n the number of keys that a query sees, phi(x) = elu(x) + 1.";

Report softmax_on_text(const Settings& settings, Watcher& watcher);

}  // namespace hexapla::lab
