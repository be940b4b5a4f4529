#include "lib/jobs/lines/word_alignments.h"

#include "base/error.h"
#include "base/options/given_option.h"
#include "lib/translate/alignment/word_alignment.h"

namespace hexapla::api {

void WordAlignments::refuse_idle(bool looked_at) const {
  const When used = when(looked_at);
  if (!used.now && !layer.empty()) refuse_as_idle({"alignment-layer", {layer}}, used);
  if (!used.now && !head.empty()) refuse_as_idle({"alignment-head", {head}}, used);
}

decode::AttentionHead WordAlignments::attention(const decode::OpenModel& model) const {
  return attention_of(model, layer, head);
}

decode::AlignmentOptions WordAlignments::options(const decode::OpenModel& model) const {
  check_alignment_kind(kind);
  return {attention(model), decode::parse_alignment_unit(units)};
}

std::string WordAlignments::text(const decode::SoftAlignment& soft) const { return alignment_text(soft, kind); }

std::vector<std::string> WordAlignments::words_in(const std::string& line) const {
  return decode::words_in(line, decode::parse_alignment_unit(units));
}

}  // namespace hexapla::api
