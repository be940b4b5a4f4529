#pragma once
// Minimum Bayes risk (Kumar and Byrne 2004; Eikema and Aziz 2020): which of several translations is most like all of
// them. Each is compared with the n-grams that are expected of a translation, the mean over all, instead of with every
// other one (DeNero et al. 2009; Vamvas and Sennrich 2024), so that the time grows with their number, not its square.
#include <span>
#include <string>
#include <vector>

#include "decode/options/translate_options.h"

namespace hexapla::decode {

// The likeness of each text to what is expected, 0 to 100: chrf, the F-score with beta 2 of 1- to 6-grams of
// characters; bleu, smoothed precisions of 1- to 4-grams of words (text/words.h). weights: one per text, their
// probabilities or numbers proportional to these.
std::vector<double> consensus(Likeness likeness, std::span<const std::string> texts, std::span<const double> weights);

}  // namespace hexapla::decode
