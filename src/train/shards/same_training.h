#pragma once
// Processes that train together have the same options, kernels and weights. All of them call each of these together.
#include <string>
#include <vector>

#include "cluster/processes.h"
#include "train/options/options.h"

namespace hexapla::train {

int64_t sum_of_all(cluster::Processes& processes, int64_t own);

// UsageError: another program, other kernels, or options that make other weights of the same update or would end the
// run elsewhere. fingerprint, noted: resume_fingerprint() and noted_options(). -> warnings of threads beyond the cores
std::vector<std::string> require_same_training(cluster::Processes& processes, const std::string& kernels,
                                               const std::string& fingerprint, const std::string& noted);

// UsageError: bits that a memory or a link has lost, which would spread with the next update.
void require_same_weights(cluster::Processes& processes, int64_t update, const std::string& hash);

// Options with what the first process knows of the run's folder, and with those that no checkpoint knows and all must
// follow.
TrainOptions with_choices_of_first(TrainOptions options, cluster::Processes& processes);

}  // namespace hexapla::train
