#include "decode/options/named/decoding_options.h"

#include "base/error.h"

namespace hexapla::decode {

namespace {

std::shared_ptr<const text::Protection> protection(const std::string& word, const std::vector<std::string>& patterns) {
  if (word == "none" && patterns.empty()) return {};
  return std::make_shared<const text::Protection>(word == "auto", patterns);
}

StopWhen stop_of(const std::string& word) {
  return word == "outscored"   ? StopWhen::outscored
         : word == "never"     ? StopWhen::never
         : word == "shrinking" ? StopWhen::shrinking
                               : StopWhen::full;
}

}  // namespace

OptionRows DecodingOptions::rows_of_beam() {
  OptionTable rows("Search");
  rows.add({"beam-size", beam_size, "hypotheses kept at each step; 1: greedy", ranges::kBeam,
            When{!sample, "is for a beam, and `sample` has none; leave one of them out"}})
      .also("b");
  rows.add({"stop-when", stop_when,
            "a line is done when `beam-size` translations are finished (full); or only when the best unfinished one "
            "scores no higher, at its length so far, than the worst of them (outscored), or at any length (never); "
            "shrinking: what is finished leaves its place in the beam empty",
            When{!sample && beam_size > 1,
                 sample ? "is for a beam, and `sample` has none; leave one of them out"
                        : "is for a beam, but `beam-size` is 1, which ends with the first; leave one of them out"}});
  rows.add({"n-best", n_best, "translations per line, best first", ranges::kNBest});
  rows.add({"distinct", distinct,
            "translations of a line that have the same text are one, with the sum of their probabilities", AnyValue{},
            When{n_best > 1, "is for several translations per line: give `n-best`, or leave it out"}});
  rows.add({"mbr", mbr,
            "minimum Bayes risk: the translation that is most like all that the beam has finished, or `candidates` "
            "samples, by chrf or bleu; off: the most probable one",
            When{sample || beam_size > 1,
                 "compares several translations, but `beam-size` is 1: raise it, give `sample`, or leave this out"}});
  rows.add({"coverage-penalty", coverage_penalty,
            "penalty for source tokens left untranslated; reranks finished hypotheses; 0: off",
            ranges::kCoveragePenalty,
            When{!sample, "reranks the hypotheses of a beam, which `sample` does not have; leave one of them out"}});
  rows.add({"repetition-penalty", repetition_penalty,
            "a token that the translation already has, <s> among them, is this many times less probable in the "
            "logarithm; 1: off",
            ranges::kRepetitionPenalty,
            When{!sample, "weighs what a beam compares, and `sample` has none; leave one of them out"}});
  rows.add({"no-repeat-ngram", no_repeat_ngram, "never repeat a sequence of N tokens; 0: off", ranges::kRuleTokens});
  rows.add({"max-repetition", max_repetition, "repeat letters or words at most N times in a row (endendend); 0: off",
            ranges::kRuleTokens})
      .also("max-stutter");
  rows.add({"unk", unk, "unknown tokens: keep (as \u2047), forbid, or copy the source word they come from"});
  return rows;
}

OptionRows DecodingOptions::rows_of_lengths() {
  OptionTable rows("Lengths");
  rows.add({"length-penalty", length_penalty,
            "exponent alpha of the length normalization; 0: compare plain log-probabilities", ranges::kLengthPenalty});
  rows.add({"length-normalization", length_normalization,
            "paper: score / ((5 + length) / 6)^alpha; power: score / length^alpha"});
  rows.add({"word-penalty", word_penalty, "subtracted from the score for each token, before normalization",
            ranges::kWordPenalty});
  rows.add({"extra-length", extra_length, "a translation has at most this many tokens more than its source",
            ranges::kMoreTokens});
  rows.add({"longest", longest, "maximum length of a translation in tokens; 0: no limit", ranges::kMoreTokens});
  rows.add({"longest-ratio", longest_ratio,
            "maximum length of a translation as a multiple of its source's tokens; 0: no limit",
            ranges::kLongestRatio});
  rows.add({"min-length", min_length, "minimum length of a translation in tokens", ranges::kMoreTokens});
  return rows;
}

OptionRows DecodingOptions::rows_of_sampling() {
  const When drawing{sample, "is for `sample`, which is off; turn it on, or leave this option out"};
  OptionTable rows("Sampling");
  rows.add({"sample", sample, "sample translations instead of searching, `n-best` per line", AnyValue{}});
  rows.add(
      {"temperature", temperature, "above 1: flatter distribution, below 1: sharper", ranges::kTemperature, drawing});
  rows.add({"top-k", top_k, "sample from the N most probable tokens; 0: all", ranges::kTopK, drawing});
  rows.add({"top-p", top_p, "sample from the fewest tokens whose probabilities sum to at least this; 1: all",
            ranges::kTopP, drawing});
  rows.add(
      {"candidates", candidates, "samples per line that `mbr` compares", ranges::kNBest,
       When{sample && mbr != "off", "is for samples that `mbr` compares: give `sample` and `mbr`, or leave it out"}});
  rows.add({"seed", seed, "random seed for sampling; a line's samples depend on it and on the line number",
            ranges::kSeed, drawing});
  return rows;
}

OptionRows DecodingOptions::rows_of_text() {
  OptionTable rows("Text");
  rows.add({"sentences", sentences,
            "a line with several sentences: split it and translate them one by one, keep it whole, or auto: "
            "split it where the model has not learned from such lines"});
  rows.add({"max-length", max_length, "tokens of a line that are translated at a time, including </s>",
            ranges::kLineTokens});
  rows.add({"long-input", long_input,
            "lines longer than `max-length`: split at sentence ends, refuse, or truncate, with a note"});
  rows.add({"letter-case", letter_case,
            "a line in CAPITALS: auto: translate it as a sentence and put the translation into "
            "capitals; keep: as it is"})
      .also("case");
  rows.add({"protect", protect,
            "auto: placeholders, tags, addresses, @names, #tags, emoji, inline code and text that the "
            "vocabulary cannot spell are hidden from the model and put next to the translations of their "
            "neighbors; none: they are translated as text"});
  rows.add({"protect-pattern", protect_pattern,
            "regular expression (RE2) of more that is protected; may be given several times", AnyValue{}})
      .repeated();
  return rows;
}

OptionRows DecodingOptions::rows_of_speed() {
  OptionTable rows("Speed");
  rows.add({"precision", precision, "of products with weights: f32, bf16 or int8"});
  rows.add({"batch-sentences", batch_sentences, "sentences per batch of a worker, at most", ranges::kBatchSentences})
      .also("batch-size");
  rows.add({"batch-tokens", batch_tokens,
            "tokens per batch of a worker, at most (source tokens; when scoring, those of the longer side)",
            ranges::kBatchTokens});
  return rows;
}

OptionRows DecodingOptions::rows() {
  return rows_of_beam() + rows_of_lengths() + rows_of_sampling() + rows_of_text() + rows_of_speed();
}

OptionRows DecodingOptions::rows_of_search() {
  return without(rows(), {"n-best", "distinct", "sample", "temperature", "top-k", "top-p", "candidates", "seed"});
}

OptionRows DecodingOptions::rows_of_scoring() {
  return select(rows(), {"length-penalty", "length-normalization", "max-length", "protect", "protect-pattern",
                         "precision", "batch-sentences", "batch-tokens"});
}

OptionRows DecodingOptions::rows_of_request() {
  return without(rows(), {"precision", "batch-sentences", "batch-tokens", "protect-pattern"});
}

TranslateOptions DecodingOptions::translate_options() const {
  TranslateOptions o;
  o.search.beam_size = static_cast<int>(beam_size);
  o.search.n_best = static_cast<int>(n_best);
  o.search.length_penalty = make_length_penalty(length_normalization, length_penalty);
  o.search.stop_when = stop_of(stop_when);
  o.search.extra_length = extra_length;
  o.search.word_penalty = word_penalty;
  o.search.longest = longest;
  o.search.longest_ratio = longest_ratio;
  o.search.min_length = min_length;
  o.search.repetition_penalty = repetition_penalty;
  o.search.no_repeat_ngram = no_repeat_ngram;
  o.search.max_repetition = max_repetition;
  o.search.forbid_unknown = unk == "forbid";
  if (sample) o.search.sampling = SamplingOptions{temperature, top_k, top_p, seed};
  o.distinct = distinct;
  if (mbr != "off") o.mbr = mbr == "chrf" ? Likeness::chrf : Likeness::bleu;
  o.candidates = static_cast<int>(candidates);
  o.copy_unknown = unk == "copy";
  o.coverage_penalty = coverage_penalty;
  o.batch_sentences = batch_sentences;
  o.batch_tokens = batch_tokens;
  o.max_length = max_length;
  o.parting = {.sentences = parse_sentences(sentences),
               .familiar = familiar,
               .long_input = parse_long_input(long_input),
               .protection = protection(protect, protect_pattern),
               .capitals = letter_case == "auto"};
  check(o);
  return o;
}

}  // namespace hexapla::decode
