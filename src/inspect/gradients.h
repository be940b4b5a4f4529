#pragma once
// The derivatives of a pair's loss, as training would compute them.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Adds loss [1], the negative of the inspection's score (cross-entropy without label smoothing, summed over the tokens
// of the target), and its derivative with respect to every intermediate and every parameter, as gradient.NAME, in the
// shape of NAME. Nothing is dropped. BatchNorm has its running statistics, so its gain and bias have no derivative
// here.
void add_gradients(Inspection& inspection, Backend& backend, const model::Transformer& model, const Pair& pair);

}  // namespace hexapla::inspect
