#pragma once
// Plain texts, translated line by line.
#include <cstddef>
#include <string>
#include <vector>

#include "documents/document.h"

namespace hexapla::text::document {

// Lines with a letter, a digit or a symbol are translated, without their leading and trailing
// whitespace; that whitespace, all other lines and all line ends (\n, \r\n, \r) are kept. Lines are
// never joined, because plain text does not tell whether a line end is within a sentence or ends a
// verse, a heading or a row of a table.
class TextLines final : public Document {
 public:
  explicit TextLines(const std::vector<std::string>& texts);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Part {
    std::string before;      // kept bytes before the line
    bool translated = true;  // whether a translated line follows
    std::size_t line = 0;    // index in lines_
  };
  std::vector<std::vector<Part>> texts_;
};

}  // namespace hexapla::text::document
