#pragma once
#include <string>
#include <vector>

#include "base/options/when.h"
#include "decode/opened/open_model.h"

namespace hexapla::api {

// Word alignments as text, and the attention that they come from, for translations and for pairs.
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
  // The selected attention of this model; default: its guided head if it has one, else the mean
  // over the heads of decode::default_alignment_layer(). UsageError: no such layer or head.
  decode::AttentionHead attention(const decode::OpenModel& model) const;
  // The same with the unit. UsageError also for an unknown kind or unit.
  decode::AlignmentOptions options(const decode::OpenModel& model) const;
  std::string text(const decode::SoftAlignment& soft) const;
  // The words of a line that the alignment numbers; empty if it numbers pieces.
  std::vector<std::string> words_in(const std::string& line) const;
};

}  // namespace hexapla::api
