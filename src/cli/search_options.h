#pragma once
#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
#include "cli/command.h"
#include "decode/translator.h"

namespace hexapla::cli {

// "f32", "bf16" or "int8"; UsageError where this processor has no instructions for it.
Precision parse_decoding_precision(const std::string& name);

// What translating and scoring share: how scores are normalised, batches, precision.
struct ScoringFlags {
  double length_penalty = 0.6;
  std::string normalization = "paper";
  std::string precision = "f32";
  int64_t batch_size = 64, batch_tokens = 4096, max_length = 512;

  void bind(Command& command);
  Precision chosen_precision() const { return parse_decoding_precision(precision); }
  TranslateOptions options() const;
};

// The options of decoding, the same wherever something is translated.
struct SearchFlags : ScoringFlags {
  int beam_size = 4, n_best = 1;
  double word_penalty = 0, coverage_penalty = 0, longest_ratio = 0;
  std::string long_input = "split", unknown = "keep";
  int64_t extra_length = 50, longest = 0, min_length = 0, no_repeat_ngram = 0, max_stutter = 0;

  void bind(Command& command);
  TranslateOptions options() const;

 private:
  void bind_lengths(Command& command);
  void bind_rules(Command& command);
};

// Drawing instead of searching.
struct SampleFlags {
  bool sample = false;
  double temperature = 1, top_p = 1;
  int64_t top_k = 0;
  uint64_t seed = 1;

  void bind(Command& command);
  void add_to(SearchOptions& options) const;
};

}  // namespace hexapla::cli
