#pragma once
// What a user may ask of decoding. Each option is declared once, in visit(); command line, requests and messages follow
// from it. TranslateOptions is what becomes of them.
#include <cstdint>
#include <string>

#include "base/range.h"
#include "decode/option_ranges.h"
#include "decode/translate_options.h"

namespace hexapla {

// What translating and scoring share: how scores are normalized, batches, precision.
struct ScoringOptions {
  double length_penalty = 0.6;
  std::string length_normalization = "paper";
  int64_t batch_sentences = 64, batch_tokens = 4096;
  int64_t max_length = 512;
  std::string precision = "f32";

  // f(name, field, help, allowed): allowed is a number's Range, the Choices of a word, or Anything.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    f("length-penalty", o.length_penalty, "alpha; 0: compare plain log-probabilities", ranges::length_penalty);
    f("length-normalization", o.length_normalization,
      "paper: score / ((5 + length) / 6)^alpha; power: score / length^alpha", Choices{"paper", "power"});
    f("batch-sentences", o.batch_sentences, "sentences that a worker takes together, at most", ranges::batch_sentences);
    f("batch-tokens", o.batch_tokens,
      "tokens that a worker takes together, at most (of the sources; when scoring, of the longer side)",
      ranges::batch_tokens);
    f("max-length", o.max_length, "tokens of a line that are taken at a time, </s> counted", ranges::line_tokens);
    f("precision", o.precision, "of the products with weights: f32, bf16 or int8", Choices{"f32", "bf16", "int8"});
  }

  TranslateOptions translate_options() const;  // UsageError as check(TranslateOptions)
};

// Looking for the best translation.
struct BeamOptions : ScoringOptions {
  int64_t beam_size = 4, n_best = 1;
  double word_penalty = 0, coverage_penalty = 0;
  int64_t extra_length = 50, longest = 0;
  double longest_ratio = 0;
  int64_t min_length = 0;
  int64_t no_repeat_ngram = 0, max_repetition = 0;
  std::string unk = "keep";
  std::string long_input = "split";

  // As above. n-best is not among them: not every use of a translation has a place for more than one.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    f("beam-size", o.beam_size, "hypotheses kept at every step; 1: greedy", ranges::beam);
    visit_lengths(o, f);
    visit_rules(o, f);
    ScoringOptions::visit(o, f);
    f("long-input", o.long_input,
      "a line above `max-length` is split at the ends of sentences, refused, or truncated; with a note",
      Choices{"split", "refuse", "truncate"});
  }
  template <class Self, class F>
  static void visit_n_best(Self& o, F&& f) {
    f("n-best", o.n_best, "translations of each line: N ||| text ||| F0= score ||| normalized", ranges::n_best);
  }

  TranslateOptions translate_options() const;

 private:
  template <class Self, class F>
  static void visit_lengths(Self& o, F&& f) {
    f("word-penalty", o.word_penalty, "taken from a score for each token before it is normalized",
      ranges::word_penalty);
    f("coverage-penalty", o.coverage_penalty,
      "times how much of the source was left out: reorders what the beam has found; 0: off", ranges::coverage_penalty);
    f("extra-length", o.extra_length, "a translation has at most so many tokens more than its source",
      ranges::more_tokens);
    f("longest", o.longest, "a translation has at most so many tokens; 0: no such limit", ranges::more_tokens);
    f("longest-ratio", o.longest_ratio,
      "a translation has at most so many times the tokens of its source; 0: no such limit", ranges::longest_ratio);
    f("min-length", o.min_length, "a translation has at least so many tokens", ranges::more_tokens);
  }
  template <class Self, class F>
  static void visit_rules(Self& o, F&& f) {
    f("no-repeat-ngram", o.no_repeat_ngram, "no so many tokens twice in a translation; 0: off", ranges::rule_tokens);
    f("max-repetition", o.max_repetition,
      "no letters or words stand more than so many times in a row (endendend); 0: off", ranges::rule_tokens);
    f("unk", o.unk, "the unknown piece: keep it (as \u2047), forbid it, or copy what it came from in the source",
      Choices{"keep", "forbid", "copy"});
  }
};

// Drawing instead of looking for the best.
struct SampleOptions {
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  uint64_t seed = 1;

  // As above; all but the first need it.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    f("sample", o.sample, "draw translations instead of searching; `n-best` of each line", Anything{});
    f("temperature", o.temperature, "above 1 flattens the distribution, below 1 sharpens it", ranges::temperature);
    f("top-k", o.top_k, "draw among the so many most probable tokens; 0: all", ranges::top_k);
    f("top-p", o.top_p, "draw among the fewest tokens of so much probability together; 1: all", ranges::top_p);
    f("seed", o.seed, "of what is drawn; a line's samples depend on it and on the line's number", ranges::seed);
  }

  void add_to(SearchOptions& options) const;
};

}  // namespace hexapla
