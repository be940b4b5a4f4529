#pragma once
#include "tune/tuning.h"

namespace hexapla::tune {

// Why a candidate was chosen, or the baseline stayed, in a sentence or two.
std::string why_chosen(const Tuned& tuned);
// What to say of trials that were too short to say much; "" of others.
std::string doubt_of(const Tuned& tuned);

// FOLDER/report.html: what was chosen and why, every trial, their curves. baseline, chosen: the trainings in full.
// RunError.
void write_tuning_report(const std::string& folder, const Tuned& tuned, const train::TrainOptions& baseline,
                         const train::TrainOptions& chosen);

}  // namespace hexapla::tune
