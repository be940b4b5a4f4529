#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/command.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {

// The options of word alignments, the same for found and for given translations.
struct AlignmentFlags {
  std::string kind;  // hard, soft or a threshold; empty: no alignments
  std::string layer, head, units = "words";

  // looked_at: whether something else asks for attention.
  void bind(
      Command& command, const std::function<bool()>& looked_at = [] { return false; });
  explicit operator bool() const { return !kind.empty(); }
  // The attention to look at in this model: its guided head if it has one and nothing else is asked for, else the mean
  // over the heads of models::default_alignment_layer(). UsageError: no such layer or head.
  decode::AttentionHead attention(const models::OpenModel& model) const;
  // The same with the unit. UsageError, too: another kind or unit.
  decode::AlignmentOptions options(const models::OpenModel& model) const;
  std::string text(const decode::SoftAlignment& soft) const;
  // The words that are numbered in a line; none where pieces are.
  std::vector<std::string> words_in(const std::string& line) const;
  // The same for everything that was found for some lines, in its order; empty where no alignments are asked for.
  std::vector<std::vector<std::string>> texts(const models::OpenModel& model, std::span<const std::string> lines,
                                              std::span<const std::vector<decode::Translation>> found,
                                              const decode::TranslateOptions& how) const;
};

}  // namespace hexapla::cli
