#pragma once
#include <string>

#include "train/data/training_data.h"

namespace hexapla::train {

// What must be the same for a run to be resumed, as JSON: otherwise the result would be of neither the old run nor the
// new. Left out are limits, intervals, threads and what is kept on disk, which change where a run ends but not what it
// is like there; and the learning rate, its warm-up and clipping, which may have to change for a run to survive.
// model: with the sizes of the vocabularies. initial: what tells the model of `init-from` from others; empty without.
std::string resume_fingerprint(const TrainOptions& options, const model::Config& model, const TrainingData& data,
                               const std::string& initial);

// `now` in the form of `before`, a record of an earlier version perhaps: a run keeps the form that it began with.
std::string as_recorded(const std::string& before, const std::string& now);

// Can a run with one of these go on as the other?
bool same_run(const std::string& before, const std::string& now);

// What may be others when a run goes on, and decides its result all the same, as JSON: a model file says where in its
// run they changed, because the run cannot be repeated from the last of them. Limits are not among them: they say where
// a run ends, whichever way it got there. And what a run keeps of its vocabulary (train/run/run_vocabularies.h), and
// the instruction set, by which `backend` is called.
std::string noted_options(const TrainOptions& options, const TrainingData& data, const std::string& backend);

// The part of noted_options() that says what a validation's score by this metric is of: scores of two measures
// cannot be compared. "" without validation sets.
std::string measure_of(const std::string& changeable, const std::string& metric);

// "lr 0.005 -> 0.001, warmup 20 -> 40": between two of these; "" where nothing changed.
std::string changes(const std::string& before, const std::string& now);

// "dim-ff was 64, now it is 48": of two identities that differ.
std::string first_difference(const std::string& before, const std::string& now);

}  // namespace hexapla::train
