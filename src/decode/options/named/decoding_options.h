#pragma once
// Decoding options. Each is declared once, in visit(), with the condition under which it has an
// effect; command line, requests and messages follow from that. They are converted to
// TranslateOptions.
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"
#include "decode/options/option_ranges.h"
#include "decode/options/translate_options.h"

namespace hexapla::decode {

// Options shared by translating and scoring: normalization of scores, batches, precision.
struct ScoringOptions {
  double length_penalty = 0.6;
  Word<"paper", "power"> length_normalization = "paper";
  int64_t batch_sentences = 64, batch_tokens = 4096;
  int64_t max_length = 512;
  Word<"f32", "bf16", "int8"> precision = "f32";
  Word<"auto", "none"> protect = "auto";
  std::vector<std::string> protect_pattern;

  // f(name, field, help, allowed, when). allowed: a number's Range, the Choices of a word, or
  // AnyValue.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    visit_scores(o, f);
    visit_batches(o, f);
    visit_max_length(o, f);
    visit_protect(o, f);
    f("protect-pattern", o.protect_pattern,
      "regular expression (RE2) of more that is protected; may be given several times", AnyValue{}, kAlways);
    f("precision", o.precision, "of products with weights: f32, bf16 or int8", o.precision.choices(), kAlways);
  }

  TranslateOptions translate_options() const;  // UsageError as check(TranslateOptions)

 protected:
  template <class Self, class F>
  static void visit_scores(Self& o, F&& f) {
    f("length-penalty", o.length_penalty,
      "exponent alpha of the length normalization; 0: compare plain log-probabilities", ranges::kLengthPenalty,
      kAlways);
    f("length-normalization", o.length_normalization,
      "paper: score / ((5 + length) / 6)^alpha; power: score / length^alpha", o.length_normalization.choices(),
      kAlways);
  }
  template <class Self, class F>
  static void visit_batches(Self& o, F&& f) {
    f("batch-sentences", o.batch_sentences, "sentences per batch of a worker, at most", ranges::kBatchSentences,
      kAlways);
    f("batch-tokens", o.batch_tokens,
      "tokens per batch of a worker, at most (source tokens; when scoring, those of the longer side)",
      ranges::kBatchTokens, kAlways);
  }
  template <class Self, class F>
  static void visit_max_length(Self& o, F&& f) {
    f("max-length", o.max_length, "tokens of a line that are translated at a time, including </s>", ranges::kLineTokens,
      kAlways);
  }
  template <class Self, class F>
  static void visit_protect(Self& o, F&& f) {
    f("protect", o.protect,
      "auto: placeholders, tags, addresses, @names, #tags, emoji, inline code and text that the vocabulary cannot "
      "spell "
      "are hidden from the model and put next to the translations of their neighbors; none: they are translated as "
      "text",
      o.protect.choices(), kAlways);
  }
};

// Whether translations are sampled: never if the set has no option `sample`.
template <class Options>
bool draws(const Options& o) {
  if constexpr (requires { o.sample; })
    return o.sample;
  else
    return false;
}

// Options of a search for the best translation.
struct BeamOptions : ScoringOptions {
  int64_t beam_size = 4, n_best = 1;
  double word_penalty = 0, coverage_penalty = 0;
  int64_t extra_length = 50, longest = 0;
  double longest_ratio = 0;
  int64_t min_length = 0;
  double repetition_penalty = 1;
  int64_t no_repeat_ngram = 0, max_repetition = 0;
  Word<"keep", "forbid", "copy"> unk = "keep";
  Word<"full", "outscored", "never", "shrinking"> stop_when = "full";
  Word<"auto", "split", "keep"> sentences = "auto";
  Word<"split", "refuse", "truncate"> long_input = "split";
  Word<"auto", "keep"> letter_case = "auto";
  int64_t familiar =
      0;  // not an option: Parting::familiar, from the model's record (decode/options/named/search_defaults.h)

  // As above, without n-best, because not every use of a translation can take more than one.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    visit_search(o, f);
    ScoringOptions::visit(o, f);
    visit_parting(o, f);
  }
  template <class Self, class F>
  static void visit_n_best(Self& o, F&& f) {
    f("n-best", o.n_best, "translations per line, best first", ranges::kNBest, kAlways);
  }

  TranslateOptions translate_options() const;

 protected:
  template <class Self, class F>
  static void visit_search(Self& o, F&& f) {
    f("beam-size", o.beam_size, "hypotheses kept at each step; 1: greedy", ranges::kBeam,
      When{!draws(o), "is for a beam, and `sample` has none; leave one of them out"});
    f("stop-when", o.stop_when,
      "a line is done when `beam-size` translations are finished (full); or only when the best unfinished one scores "
      "no "
      "higher, at its length so far, than the worst of them (outscored), or at any length (never); shrinking: what is "
      "finished leaves its place in the beam empty",
      o.stop_when.choices(),
      When{!draws(o) && o.beam_size > 1,
           draws(o) ? "is for a beam, and `sample` has none; leave one of them out"
                    : "is for a beam, but `beam-size` is 1, which ends with the first; leave one of them out"});
    visit_lengths(o, f);
    visit_rules(o, f);
  }
  template <class Self, class F>
  static void visit_parting(Self& o, F&& f) {
    f("sentences", o.sentences,
      "a line with several sentences: split it and translate them one by one, keep it whole, or auto: split it where "
      "the "
      "model has not learned from such lines",
      o.sentences.choices(), kAlways);
    f("long-input", o.long_input,
      "lines longer than `max-length`: split at sentence ends, refuse, or truncate, with a note",
      o.long_input.choices(), kAlways);
    f("letter-case", o.letter_case,
      "a line in CAPITALS: auto: translate it as a sentence and put the translation into capitals; keep: as it is",
      o.letter_case.choices(), kAlways);
  }

 private:
  template <class Self, class F>
  static void visit_lengths(Self& o, F&& f) {
    f("word-penalty", o.word_penalty, "subtracted from the score for each token, before normalization",
      ranges::kWordPenalty, kAlways);
    f("coverage-penalty", o.coverage_penalty,
      "penalty for source tokens left untranslated; reranks finished hypotheses; 0: off", ranges::kCoveragePenalty,
      When{!draws(o), "reranks the hypotheses of a beam, which `sample` does not have; leave one of them out"});
    f("extra-length", o.extra_length, "a translation has at most this many tokens more than its source",
      ranges::kMoreTokens, kAlways);
    f("longest", o.longest, "maximum length of a translation in tokens; 0: no limit", ranges::kMoreTokens, kAlways);
    f("longest-ratio", o.longest_ratio,
      "maximum length of a translation as a multiple of its source's tokens; 0: no limit", ranges::kLongestRatio,
      kAlways);
    f("min-length", o.min_length, "minimum length of a translation in tokens", ranges::kMoreTokens, kAlways);
  }
  template <class Self, class F>
  static void visit_rules(Self& o, F&& f) {
    f("repetition-penalty", o.repetition_penalty,
      "a token that the translation already has, <s> among them, is this many times less probable in the logarithm; "
      "1: off",
      ranges::kRepetitionPenalty,
      When{!draws(o), "weighs what a beam compares, and `sample` has none; leave one of them out"});
    f("no-repeat-ngram", o.no_repeat_ngram, "never repeat a sequence of N tokens; 0: off", ranges::kRuleTokens,
      kAlways);
    f("max-repetition", o.max_repetition, "repeat letters or words at most N times in a row (endendend); 0: off",
      ranges::kRuleTokens, kAlways);
    f("unk", o.unk, "unknown tokens: keep (as \u2047), forbid, or copy the source word they come from", o.unk.choices(),
      kAlways);
  }
};

// Options of sampling.
struct SampleOptions {
  bool sample = false;
  double temperature = 1;
  int64_t top_k = 0;
  double top_p = 1;
  uint64_t seed = 1;

  // As above; all others require `sample`.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    const When drawing{o.sample, "is for `sample`, which is off; turn it on, or leave this option out"};
    f("sample", o.sample, "sample translations instead of searching, `n-best` per line", AnyValue{}, kAlways);
    f("temperature", o.temperature, "above 1: flatter distribution, below 1: sharper", ranges::kTemperature, drawing);
    f("top-k", o.top_k, "sample from the N most probable tokens; 0: all", ranges::kTopK, drawing);
    f("top-p", o.top_p, "sample from the fewest tokens whose probabilities sum to at least this; 1: all", ranges::kTopP,
      drawing);
    f("seed", o.seed, "random seed for sampling; a line's samples depend on it and on the line number", ranges::kSeed,
      drawing);
  }

  void add_to(SearchOptions& options) const;
};

// All decoding options, for the command line and config files.
struct DecodingOptions : BeamOptions, SampleOptions {
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    BeamOptions::visit(o, f);
    BeamOptions::visit_n_best(o, f);
    SampleOptions::visit(o, f);
  }

  TranslateOptions translate_options() const;  // UsageError as check(TranslateOptions)
};

// Options of a single request: without batches and precision, which all requests share, and without
// patterns, which are the operator's.
struct RequestOptions : DecodingOptions {
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    visit_search(o, f);
    visit_scores(o, f);
    visit_max_length(o, f);
    visit_parting(o, f);
    visit_protect(o, f);
    visit_n_best(o, f);
    SampleOptions::visit(o, f);
  }
};

}  // namespace hexapla::decode
