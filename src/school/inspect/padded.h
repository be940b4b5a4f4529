#pragma once
// Two sources as a padded batch, as most programs use, to demonstrate the padding mask. Our batches
// are ragged and never padded.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Runs the encoder on the second source and adds, with N the longer length:
//   padded.ids           [2, N] i32, with padding after the shorter source
//   padded.mask          [2, N]: 0 for a token, -inf for padding
//   padded.encoder.NAME  [2, ...] for every recorded encoder.NAME; queries, keys and rows of
//                        padding are 0, scores of padded keys -inf
// InternalError: an empty source, or an id without an embedding.
void add_padded(Inspection& inspection, Backend& backend, const model::Transformer& model, const text::Ids& first,
                const text::Ids& second, int32_t padding);

// The part of a padded tensor that belongs to source 0 or 1.
Recorded of_source(const Recorded& padded, int64_t source);

}  // namespace hexapla::inspect
