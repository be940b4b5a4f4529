#pragma once
#include <string>

#include "cli/command/command.h"

namespace hexapla::cli {

// Word alignments as text, and the attention that they come from.
struct WordAlignments {
  std::string kind;  // hard, soft or a threshold; empty: no alignments
  std::string layer, head, units = "words";

  explicit operator bool() const { return !kind.empty(); }
  // When layer and head have an effect, and units. looked_at: whether something else uses the
  // attention.
  When when(bool looked_at = false) const {
    return {!kind.empty() || looked_at, "is for `alignment`: give that, too, or leave it out"};
  }
  // UsageError: a layer or head is given, but nothing uses the attention. looked_at: whether something else does.
  void refuse_idle(bool looked_at) const;
};

// Options of word alignments, shared by translate and score. looked_at: whether another option may
// use the attention.
void bind_alignment(Command& command, WordAlignments& alignment, bool looked_at = false);

}  // namespace hexapla::cli
