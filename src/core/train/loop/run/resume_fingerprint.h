#pragma once
#include <string>

#include "train/feed/training_data.h"

namespace hexapla::train {

// JSON of everything that must be unchanged for a run to be resumed; otherwise the result would
// belong to neither the old run nor the new one. Excludes limits, intervals, threads and what is
// kept on disk, which change where a run ends but not its states; and the learning rate, warm-up
// and clipping, which may have to change for a run to survive.
// model: with vocabulary sizes. initial: identifies the model of `init-from`; empty without.
std::string resume_fingerprint(const TrainOptions& options, const model::Config& model, const TrainingData& data,
                               const std::string& initial);

// `now` in the format of `before`, possibly of an earlier version: a run keeps its original format.
std::string as_recorded(const std::string& before, const std::string& now);

// Can a run with one of these fingerprints resume as the other?
bool same_run(const std::string& before, const std::string& now);

// JSON of the settings that may change when a run is resumed but affect its result. A model file
// records where they changed, because the final values alone cannot repeat the run. Excludes
// limits, which decide only where a run ends. Includes the vocabulary options, which a run keeps
// (train/record/run_vocabularies.h), and the instruction set, named by `backend`.
std::string noted_options(const TrainOptions& options, const TrainingData& data, const std::string& backend);

// The part of noted_options() that determines what a score by this metric measures: scores of
// different measures are not comparable. "" without validation sets.
std::string measure_of(const std::string& changeable, const std::string& metric);

// Changes between two records, "lr 0.005 -> 0.001, warmup 20 -> 40"; "" if none.
std::string changes(const std::string& before, const std::string& now);

// First difference of two fingerprints, "dim-ff was 64, now it is 48".
std::string first_difference(const std::string& before, const std::string& now);

}  // namespace hexapla::train
