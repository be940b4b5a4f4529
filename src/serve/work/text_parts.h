#pragma once
// Texts of which parts are translated: what goes to the model, and how it is put together again.
#include <cstddef>
#include <string>
#include <vector>

#include "hexapla/translator.h"

namespace hexapla::serve {

class TextParts {
 public:
  virtual ~TextParts() = default;
  // What is translated, of all texts in order.
  const std::vector<std::string>& lines() const { return lines_; }
  // Whether joined() needs the alignments of "blanks".
  virtual bool aligned() const { return false; }
  // found: of lines(). The text with the translation of this rank of each line, or the last one of a line with fewer.
  virtual std::string joined(std::size_t text, const PendingTranslation::Lines& found, std::size_t rank) const = 0;
  // Translations of the line of this text that has most.
  virtual std::size_t ranks(std::size_t text, const PendingTranslation::Lines& found) const = 0;

 protected:
  TextParts() = default;
  TextParts(const TextParts&) = default;
  TextParts& operator=(const TextParts&) = default;

  std::vector<std::string> lines_;
};

// Of a line, or the last one where it has fewer.
inline const Translation& of_rank(const std::vector<Translation>& found, std::size_t rank) {
  return found[rank < found.size() ? rank : found.size() - 1];
}

}  // namespace hexapla::serve
