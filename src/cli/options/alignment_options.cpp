#include "cli/options/alignment_options.h"

#include <algorithm>

#include "base/error.h"
#include "cli/options/declare_option.h"
#include "decode/opened/alignment_head.h"

namespace hexapla::cli {
namespace {

int64_t whole(const char* option, const std::string& text, const char* allowed) {
  const auto value = parse_number<int64_t>(text);
  if (!value) throw UsageError(cat("--", option, " is '", text, "', but must be ", allowed));
  return *value;
}

}  // namespace

void AlignmentFlags::bind(Command& command, const std::function<bool()>& looked_at) {
  const auto attends = [this, looked_at] {
    return When{!kind.empty() || looked_at(), "is for `alignment`: give that, too, or leave it out"};
  };
  command
      .add_option("--alignment", kind,
                  "word alignments: hard (one source word for each word of the translation), soft (all weights), or "
                  "a threshold: every pair of words with at least this weight")
      ->type_name("hard|soft|NUMBER");
  command
      .add_option("--alignment-layer", layer,
                  "decoder layer whose attention is used, from 0; default: the one guided in training, else "
                  "the last but one")
      ->type_name("N")
      ->when(attends);
  command
      .add_option("--alignment-head", head,
                  "head of that layer, from 0, or mean; default: the one guided in training, else mean")
      ->type_name("N")
      ->when(attends);
  command
      .add_option("--alignment-units", units,
                  "units of the alignment: words (in scripts without spaces, characters), blanks "
                  "(whitespace-separated words in any script) or pieces")
      ->check(one_of("alignment-units", {"words", "blanks", "pieces"}))
      ->default_str("words")
      ->when([this] {
        return When{!kind.empty(), "is for `alignment`: give that, too, or leave it out"};
      });
}

decode::AttentionHead AlignmentFlags::attention(const decode::OpenModel& model) const {
  if (layer.empty() && head.empty()) return decode::alignment_head(model);
  decode::AttentionHead attention{decode::default_alignment_layer(model.file.config), decode::AttentionHead::mean};
  if (!layer.empty()) attention.layer = whole("alignment-layer", layer, "the number of a decoder layer, from 0");
  if (!head.empty() && head != "mean") {
    attention.head = whole("alignment-head", head, "the number of a head, from 0, or mean");
    if (attention.head < 0) throw UsageError(cat("--alignment-head is ", head, ", but heads count from 0"));
  }
  decode::check(attention, model.file.config);
  return attention;
}

decode::AlignmentOptions AlignmentFlags::options(const decode::OpenModel& model) const {
  const auto threshold = parse_number<double>(kind);
  if (kind != "hard" && kind != "soft" && !(threshold && *threshold > 0 && *threshold <= 1))
    throw UsageError(cat("--alignment is '", kind, "', but must be hard, soft, or a threshold above 0 and at most 1"));
  return {attention(model), decode::parse_alignment_unit(units)};
}

std::string AlignmentFlags::text(const decode::SoftAlignment& soft) const {
  if (kind == "soft") return decode::soft_text(soft);
  if (kind == "hard") return data::pharaoh(decode::hard_links(soft));
  return data::pharaoh(decode::links_above(soft, parse_number<double>(kind).value()));
}

std::vector<std::string> AlignmentFlags::words_in(const std::string& line) const {
  return decode::words_in(line, decode::parse_alignment_unit(units));
}

std::vector<std::vector<std::string>> AlignmentFlags::texts(const decode::OpenModel& model,
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

}  // namespace hexapla::cli
