#pragma once
// After a search: converts hypotheses to translations of sentences, and these to those of lines.
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "decode/rescoring/aligner.h"
#include "decode/text/preprocess.h"

namespace hexapla::decode {

struct Translation {
  std::string text;
  // As in Hypothesis; for a line in parts, sums over its parts. -inf: the line, or a part of it,
  // has no translation that satisfies the constraints, and the text has nothing for it.
  double score = 0, normalized = 0;
  text::Ids ids;
  // For ids and </s>, only if SearchOptions requests them; for a line in parts, the last one sums
  // the </s> of all parts.
  std::vector<float> token_scores;
  double coverage = 0;                 // as in Hypothesis
  std::vector<text::TokenSpan> spans;  // of ids in the text; empty: as Vocabulary::spans_in()
  std::vector<size_t> parts;           // of a line in parts: number of ids in each
  // Spans in the text of what the model did not see, in the order of the line. An empty span: a
  // constraint had already put it there.
  std::vector<text::TokenSpan> protected_spans;
  // Sources of the glossary's terms that the text does not use, one per occurrence.
  std::vector<std::string> missed_terms;

  bool whole() const { return score > -std::numeric_limits<double>::infinity(); }  // every part has a translation
};

// Options of the search itself: the coverage penalty reranks all finished hypotheses of a beam, distinct translations
// and that of minimum Bayes risk are chosen among them, so the search must return them all.
SearchOptions options_of_search(const TranslateOptions& options);

// The translations of each sentence, best first, from the hypotheses of a search with these
// options: reranked by the coverage penalty or minimum Bayes risk, with unknown words copied, terms of the glossary
// written and hidden text put back, all by `align`.
std::vector<std::vector<Translation>> translations(const TextSides& sides, const SentenceSpan& sentences,
                                                   std::vector<std::vector<Hypothesis>> found,
                                                   const TranslateOptions& options, const Aligner& align);
// The text of an unfinished translation.
std::string text_so_far(const TextSides& sides, const text::Ids& ids, const SentenceConstraints& constraints);

// The translations of each line, at least one, from those of its sentences. Warns of a line, or a
// part of one, without any, and of terms that the best one does not use.
std::vector<std::vector<Translation>> of_lines(const text::Vocabulary& target, const SourceSentences& sentences,
                                               std::vector<std::vector<Translation>> translations,
                                               const TranslateOptions& options, const LineWarning& warn);

}  // namespace hexapla::decode
