#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/command.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {

// Options of word alignments, shared by translate and score.
struct AlignmentFlags {
  std::string kind;  // hard, soft or a threshold; empty: no alignments
  std::string layer, head, units = "words";

  // looked_at: whether another option uses the attention.
  void bind(
      Command& command, const std::function<bool()>& looked_at = [] { return false; });
  explicit operator bool() const { return !kind.empty(); }
  // The selected attention of this model; default: its guided head if it has one, else the mean
  // over the heads of decode::default_alignment_layer(). UsageError: no such layer or head.
  decode::AttentionHead attention(const decode::OpenModel& model) const;
  // The same with the unit. UsageError also for an unknown kind or unit.
  decode::AlignmentOptions options(const decode::OpenModel& model) const;
  std::string text(const decode::SoftAlignment& soft) const;
  // The words of a line that the alignment numbers; empty if it numbers pieces.
  std::vector<std::string> words_in(const std::string& line) const;
  // The alignments of all translations of some lines, in order; empty if not requested.
  std::vector<std::vector<std::string>> texts(const decode::OpenModel& model, std::span<const std::string> lines,
                                              std::span<const std::vector<decode::Translation>> found,
                                              const decode::TranslateOptions& how) const;
};

}  // namespace hexapla::cli
