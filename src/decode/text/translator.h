#pragma once
// Text in, text out: subwords, batches, search, and the lines back in their order.
#include <span>
#include <string>
#include <vector>

#include "decode/text/postprocess.h"

namespace hexapla::decode {

// Borrows everything: model, vocabularies and backend must outlive it. translate() may be called from several threads
// at once if the backend may.
class TextTranslator {
 public:
  // InternalError: a vocabulary that does not have the size the model was made for.
  TextTranslator(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
                 Backend& backend);

  // Several models that translate together, all for these vocabularies. UsageError: check(ensemble).
  TextTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                 Backend& backend);

  // For each line its translations, best first, one at least and n_best at most; one empty one for a blank line, and
  // one of score -inf where no translation follows the rules. The bytes of a translation depend on its line and on the
  // search options alone (and, where it is drawn, on the line's number).
  // Warned of: a line longer than max_length (or than the model's learned positions), and what was done to it; bytes
  // that are not UTF-8, each read as U+FFFD; a line or a part of one without a translation.
  // A line in parts has n_best joined translations, the best of every part first.
  // Lines, ids and translations are held in memory: give long files in portions.
  // UsageError: an option out of range. LineError, before anything is translated: a request out of range, required
  // phrases that are to be drawn, a long line if they are refused, a long line with required phrases. RunError: no
  // memory, or the model gives NaN. Canceled: by options.stop.
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

// The bytes of working memory that translating these lines takes however little TranslateOptions::memory is.
size_t least_memory(const model::Transformer& model, const text::Vocabulary& source, std::span<const std::string> lines,
                    const TranslateOptions& options);

}  // namespace hexapla::decode
