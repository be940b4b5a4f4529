#include "lib/translate/alignment/word_alignment.h"

#include "base/error.h"
#include "base/range.h"
#include "decode/opened/alignment_head.h"
#include "hexapla/translation.h"
#include "lib/guard.h"

namespace hexapla {
namespace api {
namespace {

int64_t whole_number(const char* option, const std::string& text, const char* allowed) {
  const auto value = parse_number<int64_t>(text);
  if (!value) throw UsageError(cat("`", option, "` is '", text, "', but must be ", allowed), option, text);
  return *value;
}

}  // namespace

decode::AttentionHead attention_of(const decode::OpenModel& model, const std::string& layer, const std::string& head) {
  if (layer.empty() && head.empty()) return decode::alignment_head(model);
  decode::AttentionHead attention{decode::default_alignment_layer(model.file.config), decode::AttentionHead::kMean};
  if (!layer.empty()) attention.layer = whole_number("alignment-layer", layer, "the number of a decoder layer, from 0");
  if (!head.empty() && head != "mean") {
    attention.head = whole_number("alignment-head", head, "the number of a head, from 0, or mean");
    if (attention.head < 0)
      throw UsageError(cat("`alignment-head` is ", head, ", but heads count from 0"), "alignment-head", head);
  }
  decode::check(attention, model.file.config);
  return attention;
}

void check_alignment_kind(const std::string& kind) {
  const auto threshold = parse_number<double>(kind);
  if (kind != "hard" && kind != "soft" && !(threshold && *threshold > 0 && *threshold <= 1))
    throw UsageError(cat("`alignment` is '", kind, "', but must be hard, soft, or a threshold above 0 and at most 1"));
}

std::string alignment_text(const decode::SoftAlignment& soft, const std::string& kind) {
  check_alignment_kind(kind);
  if (kind == "soft") return decode::soft_text(soft);
  if (kind == "hard") return data::pharaoh(decode::hard_links(soft));
  return data::pharaoh(decode::links_above(soft, parse_number<double>(kind).value()));
}

}  // namespace api

std::string Alignment::text(const std::string& kind) const {
  return api::guarded([&] {
    if (kind != "hard")
      return api::alignment_text(
          {static_cast<int64_t>(weights.rows), static_cast<int64_t>(weights.columns), weights.values}, kind);
    std::vector<data::Link> all;
    for (const auto& [source, target] : links) all.push_back({source, target});
    return data::pharaoh(all);
  });
}

}  // namespace hexapla
