#pragma once
// After a search: hypotheses become translations of sentences, and these translations of lines.
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "decode/rescoring/aligner.h"
#include "decode/text/preprocess.h"

namespace hexapla::decode {

struct Translation {
  std::string text;
  // As in Hypothesis; of a line in parts the sums over its parts. -inf: the line, or a part of it, has no translation
  // that follows the rules, and nothing stands for it in the text.
  double score = 0, normalized = 0;
  text::Ids ids;
  // For ids and </s>, only where SearchOptions asks for them; for a line in parts, the last one sums all their </s>.
  std::vector<float> token_scores;
  double coverage = 0;                 // as in Hypothesis
  std::vector<text::TokenSpan> spans;  // of ids in the text; none where they are as Vocabulary::spans_in() has them
  std::vector<size_t> parts;           // of a line in parts: how many of the ids are each one's
  // Where what the model did not see stands in the text, in the order of the line; empty: a constraint asked for it.
  std::vector<text::TokenSpan> protected_spans;

  bool whole() const { return score > -std::numeric_limits<double>::infinity(); }  // all of the line has one
};

// What a search is to find so that there is enough to choose from: the coverage penalty chooses among all that a beam
// has finished.
SearchOptions options_of_search(const TranslateOptions& options);

// Of each sentence its translations, best first, from what a search with these options found: reordered by the coverage
// penalty, with copies of unknown words, and with what the model did not see, all by `align`.
std::vector<std::vector<Translation>> translations(const TextSides& sides, const SentenceSpan& sentences,
                                                   std::vector<std::vector<Hypothesis>> found,
                                                   const TranslateOptions& options, const Aligner& align);
// What a translation that is not yet finished reads as.
std::string text_so_far(const TextSides& sides, const text::Ids& ids, const SentenceConstraints& constraints);

// Of each line its translations, one at least, from those of its sentences. Warned of: a line, or a part of one,
// without any.
std::vector<std::vector<Translation>> of_lines(const text::Vocabulary& target, const SourceSentences& sentences,
                                               std::vector<std::vector<Translation>> translations,
                                               const LineWarning& warn);

}  // namespace hexapla::decode
