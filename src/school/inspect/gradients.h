#pragma once
// The derivatives of a pair's loss, as computed in training.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Adds loss [1], the negative of the inspection's score (cross-entropy without label smoothing,
// summed over the target tokens), and its derivative with respect to every intermediate and
// parameter, as gradient.NAME in the shape of NAME. No dropout. BatchNorm uses its running
// statistics, so its gain and bias have no derivative here.
void add_gradients(Inspection& inspection, Backend& backend, const model::Transformer& model, const Pair& pair);

}  // namespace hexapla::inspect
