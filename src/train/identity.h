#pragma once
#include <string>

#include "train/trainer.h"

namespace hexapla {

// What must be the same for a run to be resumed, as JSON: otherwise the result would be of neither the old run nor the
// new. Left out are limits, intervals, threads and what is kept on disk, which change where a run ends but not what it
// is like there; and the learning rate, its warm-up and clipping, which may have to change for a run to survive.
// model: with the sizes of the vocabularies. initial: what tells the model of --init-from from others; empty without.
std::string identity_of(const TrainOptions& options, const Config& model, const TrainingData& data,
                        const std::string& initial);

// "dim-ff was 64, now it is 48": of two identities that differ.
std::string first_difference(const std::string& before, const std::string& now);

}  // namespace hexapla
