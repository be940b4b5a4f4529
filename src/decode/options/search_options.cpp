#include "decode/options/search_options.h"

#include "base/error.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {

namespace {

void check(const SamplingOptions& o) {
  ranges::temperature.check("temperature", o.temperature);
  ranges::top_k.check("top-k", o.top_k);
  ranges::top_p.check("top-p", o.top_p);
}

void check_lengths(const SearchOptions& o) {
  ranges::more_tokens.check("extra-length", o.extra_length);
  ranges::more_tokens.check("longest", o.longest);
  ranges::longest_ratio.check("longest-ratio", o.longest_ratio);
  ranges::more_tokens.check("min-length", o.min_length);
  if (o.longest > 0 && o.min_length > o.longest)
    throw UsageError(
        cat("`min-length` ", o.min_length, " is above `longest` ", o.longest, "; lower it, or raise `longest`"));
}

}  // namespace

void check(const SearchOptions& options) {
  ranges::beam.check("beam-size", options.beam_size);
  ranges::n_best.check("n-best", options.n_best);
  if (!options.sampling && options.n_best > options.beam_size)
    throw UsageError(cat("`n-best` is ", options.n_best, ", but a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations; raise `beam-size` for more"),
                     "n-best", cat(options.n_best));
  if (options.sampling) check(*options.sampling);
  check_lengths(options);
  ranges::word_penalty.check("word-penalty", options.word_penalty);
  ranges::repetition_penalty.check("repetition-penalty", options.repetition_penalty);
  if (options.sampling && options.repetition_penalty != 1)
    throw UsageError(cat("`repetition-penalty` ", options.repetition_penalty,
                         " weighs what a beam compares, and `sample` has none; leave one of them out"),
                     "repetition-penalty", cat(options.repetition_penalty));
  ranges::rule_tokens.check("no-repeat-ngram", options.no_repeat_ngram);
  ranges::rule_tokens.check("max-repetition", options.max_repetition);
}

}  // namespace hexapla::decode
