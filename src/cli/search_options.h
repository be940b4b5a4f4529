#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "backend/cpu/cpu.h"
#include "base/error.h"
#include "decode/translator.h"

namespace hexapla::cli {

// "f32", "bf16" or "int8"; UsageError where this processor has no instructions for it.
inline Precision parse_decoding_precision(const std::string& name) {
  const Precision p = name == "int8" ? Precision::int8 : name == "bf16" ? Precision::bf16 : Precision::f32;
  if (!supported(p)) throw UsageError(cat("this processor has no instructions for --precision ", name, "; give f32"));
  return p;
}

// What translating and scoring share: how scores are normalised, batches, precision.
struct ScoringFlags {
  double length_penalty = 0.6;
  std::string normalization = "paper";
  std::string precision = "f32";
  int64_t batch_size = 64, batch_tokens = 4096, max_length = 512;

  void bind(CLI::App& command) {
    command.add_option("--length-penalty", length_penalty, "alpha; 0: compare plain log-probabilities")
        ->default_str("0.6");
    command
        .add_option("--length-normalization", normalization,
                    "paper: score / ((5 + length) / 6)^alpha; power: score / length^alpha")
        ->default_str("paper");
    command.add_option("--batch-sentences,--batch-size", batch_size, "sentences that a worker takes together, at most")
        ->default_str("64");
    command
        .add_option("--batch-tokens", batch_tokens,
                    "tokens that a worker takes together, at most (of the sources; when scoring, of the longer side)")
        ->default_str("4096");
    command.add_option("--max-length", max_length, "of a longer line only so many tokens are read, with a note")
        ->default_str("512");
    command.add_option("--precision", precision, "of the products with weights: f32, bf16 or int8")
        ->check(CLI::IsMember({"f32", "bf16", "int8"}))
        ->default_str("f32");
  }
  Precision chosen_precision() const { return parse_decoding_precision(precision); }
  TranslateOptions options() const {
    TranslateOptions o;
    o.search.length_penalty = make_length_penalty(normalization, length_penalty);
    o.batch_sentences = batch_size;
    o.batch_tokens = batch_tokens;
    o.max_length = max_length;
    return o;
  }
};

// The options of decoding, the same wherever something is translated.
struct SearchFlags : ScoringFlags {
  int beam_size = 4, n_best = 1;
  int64_t extra_length = 50;

  void bind(CLI::App& command) {
    command.add_option("-b,--beam-size", beam_size, "hypotheses kept at every step; 1: greedy")->default_str("4");
    command.add_option("--extra-length", extra_length, "a translation has at most so many tokens more than its source")
        ->default_str("50");
    ScoringFlags::bind(command);
  }
  TranslateOptions options() const {
    TranslateOptions o = ScoringFlags::options();
    o.search.beam_size = beam_size;
    o.search.n_best = n_best;
    o.search.extra_length = extra_length;
    check(o.search);
    return o;
  }
};

}  // namespace hexapla::cli
