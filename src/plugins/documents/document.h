#pragma once
// Documents with text to translate: extracts the lines for the model and reassembles the document.
// Everything that is not text keeps its bytes.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/translator.h"

namespace hexapla::text::document {

class Document {
 public:
  using Lines = PendingTranslation::Lines;

  virtual ~Document() = default;
  // The lines to translate, of all texts in order.
  const std::vector<std::string>& lines() const { return lines_; }
  // For each line, whether joined() needs its alignment of "words".
  const std::vector<bool>& aligned() const { return aligned_; }
  // The text with the translation of this rank of each line, or a line's last translation if it has
  // fewer. found: translations of lines().
  virtual std::string joined(std::size_t text, const Lines& found, std::size_t rank) const = 0;
  // The largest number of translations of any line of this text.
  virtual std::size_t ranks(std::size_t text, const Lines& found) const = 0;

 protected:
  Document() = default;
  Document(const Document&) = default;
  Document& operator=(const Document&) = default;

  void add_line(std::string line, bool aligned) {
    lines_.push_back(std::move(line));
    aligned_.push_back(aligned);
  }

 private:
  std::vector<std::string> lines_;
  std::vector<bool> aligned_;
};

// The translation of this rank, or the last one if there are fewer.
inline const Translation& of_rank(const std::vector<Translation>& found, std::size_t rank) {
  return found[rank < found.size() ? rank : found.size() - 1];
}

}  // namespace hexapla::text::document
