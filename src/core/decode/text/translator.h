#pragma once
// Translates text: subwords, batches, search, and the lines in their original order.
#include <span>
#include <string>
#include <vector>

#include "decode/text/postprocess.h"

namespace hexapla::decode {

// Borrows everything: model, vocabularies and backend must outlive it. translate() may be called
// from several threads at the same time if the backend allows that.
class TextTranslator {
 public:
  // InternalError: a vocabulary size differs from the model's.
  TextTranslator(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
                 Backend& backend);

  // An ensemble of models with the same vocabularies. UsageError: check(ensemble).
  TextTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                 Backend& backend);

  // For each line its translations, best first, at least one and at most n_best; an empty one for a
  // blank line, and one with score -inf if no translation satisfies the constraints. A translation
  // depends only on its line and the search options (and, if sampled, on the line's number). A line
  // in parts has n_best joined translations, first the best of every part.
  // Warnings: a line longer than max_length (or than the model's learned positions), and what was
  // done to it; invalid UTF-8, where each byte is read as U+FFFD; a line or part without a
  // translation.
  // Lines, ids and translations are held in memory, so pass long files in portions.
  // UsageError: an option out of range. LineError, before anything is translated: a request out of
  // range, sampling with required phrases, a long line if those are refused, a long line with
  // required phrases. RunError: out of memory, or the model gives NaN. Canceled: by options.stop.
  std::vector<std::vector<Translation>> translate(const Lines& lines, const TranslateOptions& options,
                                                  const LineWarning& warn = {}) const;
  std::vector<std::vector<Translation>> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                                  const LineWarning& warn = {}) const {
    return translate(Lines{lines}, options, warn);
  }

 private:
  const model::Transformer& model() const { return *ensemble_.models.front(); }
  void search_queue(Queue& queue, const SearchOptions& options, size_t memory, const Done& done) const;

  Ensemble ensemble_;
  TextSides sides_;
  Backend& backend_;
};

// The minimum bytes of working memory for these lines, however small TranslateOptions::memory is.
size_t least_memory(const model::Transformer& model, const text::Vocabulary& source, std::span<const std::string> lines,
                    const TranslateOptions& options);

}  // namespace hexapla::decode
