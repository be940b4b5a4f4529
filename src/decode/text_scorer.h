#pragma once
// How probable given translations are, text in: subwords, batches, forced decoding.
#include <span>
#include <string>
#include <vector>

#include "decode/score.h"
#include "decode/translator.h"

namespace hexapla {

struct TextScore : PairScore {
  double normalised = 0;      // score / divisor(length penalty, tokens), as in Hypothesis
  std::vector<double> words;  // log-probability of each word of the translation, and of </s>: score is their sum
  Ids target;                 // the tokens, without </s>
  bool operator==(const TextScore&) const = default;
};

// Borrows everything: model, vocabularies and backend must outlive it. Error: a vocabulary that does not have the size
// the model was made for.
class TextScorer {
 public:
  TextScorer(const Transformer& model, const Vocabulary& source, const Vocabulary& target, Backend& backend);

  // How probable targets[i] is as the translation of sources[i], whatever the other pairs are; both may be blank. Of
  // the options only batches, max_length and length_penalty count. UsageError: not as many targets as sources, or an
  // option out of range.
  std::vector<TextScore> score(std::span<const std::string> sources, std::span<const std::string> targets,
                               const TranslateOptions& options, const LineWarning& warn = {}) const;

 private:
  const Transformer& model_;
  const Vocabulary& source_;
  const Vocabulary& target_;
  Backend& backend_;
};

}  // namespace hexapla
