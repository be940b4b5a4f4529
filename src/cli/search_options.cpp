#include "cli/search_options.h"

#include "base/error.h"
#include "decode/option_ranges.h"

namespace hexapla::cli {

Precision parse_decoding_precision(const std::string& name) {
  const Precision p = name == "int8" ? Precision::int8 : name == "bf16" ? Precision::bf16 : Precision::f32;
  if (!supported(p)) throw UsageError(cat("this processor has no instructions for --precision ", name, "; give f32"));
  return p;
}

void ScoringFlags::bind(Command& command) {
  command
      .add_option("--length-penalty", length_penalty, ranges::length_penalty,
                  "alpha; 0: compare plain log-probabilities")
      ->default_str("0.6");
  command
      .add_option("--length-normalization", normalization,
                  "paper: score / ((5 + length) / 6)^alpha; power: score / length^alpha")
      ->default_str("paper");
  command
      .add_option("--batch-sentences,--batch-size", batch_size, ranges::batch_sentences,
                  "sentences that a worker takes together, at most")
      ->default_str("64");
  command
      .add_option("--batch-tokens", batch_tokens, ranges::batch_tokens,
                  "tokens that a worker takes together, at most (of the sources; when scoring, of the longer side)")
      ->default_str("4096");
  command
      .add_option("--max-length", max_length, ranges::line_tokens,
                  "tokens of a line that are taken at a time, </s> counted")
      ->default_str("512");
  command.add_option("--precision", precision, "of the products with weights: f32, bf16 or int8")
      ->check(CLI::IsMember({"f32", "bf16", "int8"}))
      ->default_str("f32");
}

TranslateOptions ScoringFlags::options() const {
  TranslateOptions o;
  o.search.length_penalty = make_length_penalty(normalization, length_penalty);
  o.batch_sentences = batch_size;
  o.batch_tokens = batch_tokens;
  o.max_length = max_length;
  return o;
}

void SearchFlags::bind(Command& command) {
  command.add_option("-b,--beam-size", beam_size, ranges::beam, "hypotheses kept at every step; 1: greedy")
      ->default_str("4");
  bind_lengths(command);
  bind_rules(command);
  ScoringFlags::bind(command);
  command
      .add_option("--long-input", long_input,
                  "a line above --max-length is split at the ends of sentences, refused, or truncated; with a note")
      ->check(CLI::IsMember({"split", "refuse", "truncate"}))
      ->default_str("split");
}

void SearchFlags::bind_lengths(Command& command) {
  command
      .add_option("--word-penalty", word_penalty, ranges::word_penalty,
                  "taken from a score for each token before it is normalised")
      ->default_str("0");
  command
      .add_option("--coverage-penalty", coverage_penalty, ranges::coverage_penalty,
                  "times how much of the source was left out: reorders what the beam has found; 0: off")
      ->default_str("0");
  command
      .add_option("--extra-length", extra_length, ranges::more_tokens,
                  "a translation has at most so many tokens more than its source")
      ->default_str("50");
  command
      .add_option("--longest", longest, ranges::more_tokens,
                  "a translation has at most so many tokens; 0: no such limit")
      ->default_str("0");
  command
      .add_option("--longest-ratio", longest_ratio, ranges::longest_ratio,
                  "a translation has at most so many times the tokens of its source; 0: no such limit")
      ->default_str("0");
  command.add_option("--min-length", min_length, ranges::more_tokens, "a translation has at least so many tokens")
      ->default_str("0");
}

void SearchFlags::bind_rules(Command& command) {
  command
      .add_option("--no-repeat-ngram", no_repeat_ngram, ranges::rule_tokens,
                  "no so many tokens twice in a translation; 0: off")
      ->default_str("0");
  command
      .add_option("--max-stutter", max_stutter, ranges::rule_tokens,
                  "no letters or words stand more than so many times in a row (endendend); 0: off")
      ->default_str("0");
  command
      .add_option("--unk", unknown,
                  "the unknown piece: keep it (as \u2047), forbid it, or copy what it came from in the source")
      ->check(CLI::IsMember({"keep", "forbid", "copy"}))
      ->default_str("keep");
}

TranslateOptions SearchFlags::options() const {
  TranslateOptions o = ScoringFlags::options();
  o.search.beam_size = beam_size;
  o.search.n_best = n_best;
  o.search.extra_length = extra_length;
  o.search.word_penalty = word_penalty;
  o.search.longest = longest;
  o.search.longest_ratio = longest_ratio;
  o.search.min_length = min_length;
  o.search.no_repeat_ngram = no_repeat_ngram;
  o.search.max_stutter = max_stutter;
  o.search.forbid_unknown = unknown == "forbid";
  o.copy_unknown = unknown == "copy";
  o.coverage_penalty = coverage_penalty;
  o.long_input = parse_long_input(long_input);
  return o;
}

void SampleFlags::bind(Command& command) {
  CLI::Option* on =
      command.add_flag("--sample", sample, "draw translations instead of searching; --n-best of each line");
  command
      .add_option("--temperature", temperature, ranges::temperature,
                  "above 1 flattens the distribution, below 1 sharpens it")
      ->needs(on)
      ->default_str("1");
  command.add_option("--top-k", top_k, ranges::top_k, "draw among the so many most probable tokens; 0: all")
      ->needs(on)
      ->default_str("0");
  command
      .add_option("--top-p", top_p, ranges::top_p,
                  "draw among the fewest tokens of so much probability together; 1: all")
      ->needs(on)
      ->default_str("1");
  command
      .add_option("--seed", seed, ranges::seed,
                  "of what is drawn; a line's samples depend on it and on the line's number")
      ->needs(on)
      ->default_str("1");
  on->excludes(command.get_option("--beam-size"));
}

void SampleFlags::add_to(SearchOptions& options) const {
  if (sample) options.sampling = SamplingOptions{temperature, top_k, top_p, seed};
}

}  // namespace hexapla::cli
