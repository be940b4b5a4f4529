#include "train/text_options.h"

#include <cmath>

#include "base/error.h"
#include "text/normalization.h"

namespace hexapla {
namespace {

void check_weights(const std::vector<double>& weights, size_t sets) {
  if (weights.empty()) return;
  if (weights.size() != sets)
    throw UsageError(cat("--train-weights has ", weights.size(), " numbers, but --train-sets has ", sets,
                         sets == 1 ? " set" : " sets", ": give one weight a set"));
  for (const double w : weights)
    if (!(w > 0 && w <= 1000))
      throw UsageError(cat("--train-weights: ", w, " is not above 0 and at most 1000; leave a set out to not use it"));
}

}  // namespace

void TextOptions::check(size_t sets) const {
  check_weights(train_weights, sets);
  if (vocab_type != "unigram" && vocab_type != "bpe")
    throw UsageError(cat("--vocab-type is '", vocab_type, "', but must be unigram or bpe"));
  if (!vocabs.empty() && vocabs.size() != 2)
    throw UsageError(cat("--vocabs takes two SentencePiece models, of source and target, but got ", vocabs.size()));
  if (!(character_coverage >= 0.98 && character_coverage <= 1))
    throw UsageError(cat("--character-coverage is ", character_coverage, ", but must lie in [0.98, 1]"));
  for (const auto& [option, name] : {std::pair{"source", source_normalization}, {"target", target_normalization}})
    if (!is_normalization(name))
      throw UsageError(cat("--", option, "-normalization is '", name, "', but must be ", normalization_names()));
  if (vocab_lines < 2) throw UsageError(cat("--vocab-lines is ", vocab_lines, ", but must be at least 2"));
  if (!(subword_alpha >= 0) || std::isinf(subword_alpha))
    throw UsageError(cat("--subword-alpha is ", subword_alpha, ", but must be at least 0"));
  if (shuffle_memory < 1 || shuffle_memory > int64_t{1} << 24)
    throw UsageError(cat("--shuffle-memory is ", shuffle_memory, ", but must be at least 1 and at most 16777216 MiB"));
}

}  // namespace hexapla
