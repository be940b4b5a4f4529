#pragma once
// Two sources as the padded batch that most programs make of them: to see the padding mask at work. Here a batch is
// ragged, and nothing is ever padded.
#include "inspect/recorder.h"

namespace hexapla::inspect {

// Runs the encoder on the second source and adds, with N the length of the longer one:
//   padded.ids           [2, N] i32, padding behind the shorter one
//   padded.mask          [2, N]: 0 at a token, -inf at padding
//   padded.encoder.NAME  [2, ...] for every encoder.NAME that was seen; queries, keys and rows of padding are 0, scores
//                        of padded keys -inf
// InternalError: an empty source, or an id that the model has no embedding for.
void add_padded(Inspection& inspection, Backend& backend, const model::Transformer& model, const text::Ids& first,
                const text::Ids& second, int32_t padding);

// The part of a padded tensor that belongs to one of the sources, 0 or 1.
Recorded of_source(const Recorded& padded, int64_t source);

}  // namespace hexapla::inspect
