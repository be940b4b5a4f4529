#pragma once
// Text in, text out: subwords, batches, search, and the lines back in their order.
#include <span>
#include <string>
#include <vector>

#include "decode/line_encoder.h"
#include "decode/search.h"

namespace hexapla {

struct TranslateOptions {
  SearchOptions search;
  int64_t batch_sentences = 64;  // of one worker at a time, at most
  int64_t batch_tokens = 4096;   // of their sources, at most; a longer line stands alone
  int64_t max_length = 512;      // source tokens of a line, </s> counted; only so many are translated
};

void check(const TranslateOptions& options);  // UsageError: a number out of range

struct Translation {
  std::string text;
  double score = 0, normalised = 0;  // as in Hypothesis
  Ids ids;
  std::vector<float> token_scores;  // of ids and </s>; only where SearchOptions asks for them
};

// Borrows everything: model, vocabularies and backend must outlive it. translate() may be called from several threads
// at once if the backend may.
class TextTranslator {
 public:
  // Error: a vocabulary that does not have the size the model was made for.
  TextTranslator(const Transformer& model, const Vocabulary& source, const Vocabulary& target, Backend& backend);

  // For each line its translations, best first, at most n_best; one empty one for a blank line. The bytes of a
  // translation depend on its line and on the search options alone. Warned of: a line longer than max_length (or than
  // the model's learned positions), of which the first max_length tokens are translated, and bytes that are not UTF-8,
  // each read as U+FFFD. Lines, ids and translations are held in memory: give long files in portions.
  // UsageError: an option out of range. RunError: no memory, or the model gives NaN.
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                                  const LineWarning& warn = {}) const;

 private:
  const Transformer& model_;
  const Vocabulary& source_;
  const Vocabulary& target_;
  Backend& backend_;
};

// Places of sentences in batches, the longest first; sentences of length 0 are left out.
std::vector<std::vector<size_t>> plan_batches(std::span<const int64_t> lengths, const TranslateOptions& options);

}  // namespace hexapla
