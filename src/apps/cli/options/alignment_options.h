#pragma once
#include "cli/command/command.h"
#include "lib/jobs/lines/word_alignments.h"

namespace hexapla::cli {

// Options of word alignments, shared by translate and score. looked_at: whether another option may
// use the attention.
void bind_alignment(Command& command, api::WordAlignments& alignment, bool looked_at = false);

}  // namespace hexapla::cli
