#include "cli/options/alignment_options.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "cli/options/declare_option.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::cli {
namespace {

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

int64_t whole(const char* option, const std::string& text, const char* allowed) {
  const auto value = number<int64_t>(text);
  if (!value) throw UsageError(cat("--", option, " is '", text, "', but must be ", allowed));
  return *value;
}

// What training wrote into the model; none where the model was not guided.
std::optional<decode::AttentionHead> guided_head(const api::OpenModel& model) {
  const auto& history = model.file.history;
  const auto layer = history.find("guided_alignment_layer"), head = history.find("guided_alignment_head");
  if (layer == history.end() || head == history.end()) return {};
  const auto l = number<int64_t>(layer->second), h = number<int64_t>(head->second);
  if (!l || !h || *l < 0 || *l >= model.file.config.dec_layers || *h < 0 || *h >= model.file.config.heads)
    throw DataError(cat("the model says that its guided head is ", head->second, " of decoder layer ", layer->second,
                        ", which it does not have; give --alignment-layer and --alignment-head"));
  return decode::AttentionHead{*l, *h};
}

}  // namespace

void AlignmentFlags::bind(Command& command) {
  Option* const on =
      command
          .add_option(
              "--alignment", kind,
              "word alignments: hard (one source word for each word of the translation), soft (all weights), or "
              "a threshold: every pair of words with at least this weight")
          ->type_name("hard|soft|NUMBER");
  command
      .add_option("--alignment-layer", layer,
                  "decoder layer whose attention is used, from 0; default: the one guided in training, else "
                  "the last but one")
      ->type_name("N");
  command
      .add_option("--alignment-head", head,
                  "head of that layer, from 0, or mean; default: the one guided in training, else mean")
      ->type_name("N");
  command
      .add_option("--alignment-units", units,
                  "units of the alignment: words (in scripts without spaces, characters), blanks "
                  "(whitespace-separated words in any script) or pieces")
      ->check(one_of("alignment-units", {"words", "blanks", "pieces"}))
      ->needs(on)
      ->default_str("words");
}

int64_t AlignmentFlags::default_layer(const model::Config& config) {
  return std::max<int64_t>(0, config.dec_layers - 2);
}

decode::AttentionHead AlignmentFlags::attention(const api::OpenModel& model) const {
  decode::AttentionHead attention{default_layer(model.file.config), decode::AttentionHead::mean};
  if (layer.empty() && head.empty()) attention = guided_head(model).value_or(attention);
  if (!layer.empty()) attention.layer = whole("alignment-layer", layer, "the number of a decoder layer, from 0");
  if (!head.empty() && head != "mean") {
    attention.head = whole("alignment-head", head, "the number of a head, from 0, or mean");
    if (attention.head < 0) throw UsageError(cat("--alignment-head is ", head, ", but heads count from 0"));
  }
  decode::check(attention, model.file.config);
  return attention;
}

decode::AlignmentOptions AlignmentFlags::options(const api::OpenModel& model) const {
  const auto threshold = number<double>(kind);
  if (kind != "hard" && kind != "soft" && !(threshold && *threshold > 0 && *threshold <= 1))
    throw UsageError(cat("--alignment is '", kind, "', but must be hard, soft, or a threshold above 0 and at most 1"));
  const decode::AlignmentUnit unit = units == "pieces"   ? decode::AlignmentUnit::pieces
                                     : units == "blanks" ? decode::AlignmentUnit::blanks
                                                         : decode::AlignmentUnit::words;
  return {attention(model), unit};
}

std::string AlignmentFlags::text(const decode::SoftAlignment& soft) const {
  if (kind == "soft") return decode::soft_text(soft);
  if (kind == "hard") return data::pharaoh(decode::hard_links(soft));
  return data::pharaoh(decode::links_above(soft, number<double>(kind).value()));
}

std::vector<std::string> AlignmentFlags::words_in(const std::string& line) const {
  if (units == "pieces") return {};
  const std::string clean = text::clean_utf8(line);
  const auto all = text::words(clean, units == "blanks" ? text::WordEnds::at_blanks : text::WordEnds::by_script);
  return {all.begin(), all.end()};
}

std::vector<std::vector<std::string>> AlignmentFlags::texts(const api::OpenModel& model,
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
