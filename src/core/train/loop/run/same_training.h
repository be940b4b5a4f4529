#pragma once
// Checks that processes that train together agree. All processes must call each function together.
#include <string>
#include <vector>

#include "train/cluster/processes.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

int64_t sum_of_all(cluster::Processes& processes, int64_t own);

// UsageError: another program or kernels, or options that change the weights after an update or the
// end of the run. fingerprint, noted: resume_fingerprint() and noted_options(). -> warnings if
// there are more threads than cores
std::vector<std::string> require_same_training(cluster::Processes& processes, const std::string& kernels,
                                               const std::string& fingerprint, const std::string& noted);

// UsageError: corrupted bits from memory or a link, which the next update would spread.
void require_same_weights(cluster::Processes& processes, int64_t update, const std::string& hash);

// Options with what the first process knows from the run folder, and those that no checkpoint
// records but all must share.
TrainOptions with_choices_of_first(TrainOptions options, cluster::Processes& processes);

}  // namespace hexapla::train
