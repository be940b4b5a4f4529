#include "api/jobs/lines/word_alignments.h"

#include "base/error.h"
#include "base/options/given_option.h"
#include "base/range.h"
#include "decode/opened/alignment_head.h"

namespace hexapla::api {
namespace {

int64_t whole(const char* option, const std::string& text, const char* allowed) {
  const auto value = parse_number<int64_t>(text);
  if (!value) throw UsageError(cat("`", option, "` is '", text, "', but must be ", allowed));
  return *value;
}

}  // namespace

void WordAlignments::refuse_idle(const decode::TranslateOptions& how) const {
  const When used = when(how.copy_unknown || how.coverage_penalty > 0);
  if (!used.now && !layer.empty()) refuse_as_idle({"alignment-layer", {layer}}, used);
  if (!used.now && !head.empty()) refuse_as_idle({"alignment-head", {head}}, used);
}

decode::AttentionHead WordAlignments::attention(const decode::OpenModel& model) const {
  if (layer.empty() && head.empty()) return decode::alignment_head(model);
  decode::AttentionHead attention{decode::default_alignment_layer(model.file.config), decode::AttentionHead::kMean};
  if (!layer.empty()) attention.layer = whole("alignment-layer", layer, "the number of a decoder layer, from 0");
  if (!head.empty() && head != "mean") {
    attention.head = whole("alignment-head", head, "the number of a head, from 0, or mean");
    if (attention.head < 0) throw UsageError(cat("`alignment-head` is ", head, ", but heads count from 0"));
  }
  decode::check(attention, model.file.config);
  return attention;
}

decode::AlignmentOptions WordAlignments::options(const decode::OpenModel& model) const {
  const auto threshold = parse_number<double>(kind);
  if (kind != "hard" && kind != "soft" && !(threshold && *threshold > 0 && *threshold <= 1))
    throw UsageError(cat("`alignment` is '", kind, "', but must be hard, soft, or a threshold above 0 and at most 1"));
  return {attention(model), decode::parse_alignment_unit(units)};
}

std::string WordAlignments::text(const decode::SoftAlignment& soft) const {
  if (kind == "soft") return decode::soft_text(soft);
  if (kind == "hard") return data::pharaoh(decode::hard_links(soft));
  return data::pharaoh(decode::links_above(soft, parse_number<double>(kind).value()));
}

std::vector<std::string> WordAlignments::words_in(const std::string& line) const {
  return decode::words_in(line, decode::parse_alignment_unit(units));
}

std::vector<std::vector<std::string>> WordAlignments::texts(const decode::OpenModel& model,
                                                            std::span<const std::string> lines,
                                                            std::span<const std::vector<decode::Translation>> found,
                                                            const decode::TranslateOptions& how) const {
  if (kind.empty()) return {};
  std::vector<std::string> sources;
  std::vector<decode::Translation> targets;
  for (size_t i = 0; i < found.size(); ++i)
    for (const decode::Translation& t : found[i]) sources.push_back(lines[i]), targets.push_back(t);
  const auto alignments = model.scorer().align(sources, targets, how, options(model));
  std::vector<std::vector<std::string>> all(found.size());
  size_t next = 0;
  for (size_t i = 0; i < found.size(); ++i)
    for (size_t j = 0; j < found[i].size(); ++j) all[i].push_back(text(alignments[next++]));
  return all;
}

}  // namespace hexapla::api
