#pragma once
#include "lib/tune/tuning.h"

namespace hexapla::train::tune {

// Why a candidate was chosen or the baseline kept, in one or two sentences.
std::string why_chosen(const Tuned& tuned);
// Warning about trials that were too short to be informative; "" otherwise.
std::string doubt_of(const Tuned& tuned);

// Writes FOLDER/report.html: the choice and its reasons, every trial, and their curves. baseline,
// chosen: the full trainings. RunError.
void write_tuning_report(const std::string& folder, const Tuned& tuned, const train::TrainOptions& baseline,
                         const train::TrainOptions& chosen);

}  // namespace hexapla::train::tune
