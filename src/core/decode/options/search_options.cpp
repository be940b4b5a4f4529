#include "decode/options/search_options.h"

#include "base/error.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {

namespace {

void check(const SamplingOptions& o) {
  ranges::kTemperature.check("temperature", o.temperature);
  ranges::kTopK.check("top-k", o.top_k);
  ranges::kTopP.check("top-p", o.top_p);
}

void check_lengths(const SearchOptions& o) {
  ranges::kMoreTokens.check("extra-length", o.extra_length);
  ranges::kMoreTokens.check("longest", o.longest);
  ranges::kLongestRatio.check("longest-ratio", o.longest_ratio);
  ranges::kMoreTokens.check("min-length", o.min_length);
  if (o.longest > 0 && o.min_length > o.longest)
    throw UsageError(
        cat("`min-length` ", o.min_length, " is above `longest` ", o.longest, "; lower it, or raise `longest`"));
}

}  // namespace

void check(const SearchOptions& options) {
  ranges::kBeam.check("beam-size", options.beam_size);
  ranges::kNBest.check("n-best", options.n_best);
  if (!options.sampling && options.n_best > options.beam_size)
    throw UsageError(cat("`n-best` is ", options.n_best, ", but a beam of ", options.beam_size, " gives 1 to ",
                         options.beam_size, " translations; raise `beam-size` for more"),
                     "n-best", cat(options.n_best));
  if (options.sampling) check(*options.sampling);
  check_lengths(options);
  ranges::kWordPenalty.check("word-penalty", options.word_penalty);
  ranges::kRepetitionPenalty.check("repetition-penalty", options.repetition_penalty);
  if (options.sampling && options.repetition_penalty != 1)
    throw UsageError(cat("`repetition-penalty` ", options.repetition_penalty,
                         " weighs what a beam compares, and `sample` has none; leave one of them out"),
                     "repetition-penalty", cat(options.repetition_penalty));
  ranges::kRuleTokens.check("no-repeat-ngram", options.no_repeat_ngram);
  ranges::kRuleTokens.check("max-repetition", options.max_repetition);
}

}  // namespace hexapla::decode
