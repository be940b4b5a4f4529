#pragma once
// Plain texts, which are translated line by line.
#include <cstddef>
#include <string>
#include <vector>

#include "text/document/document.h"

namespace hexapla::text::document {

// Lines with a letter, a digit or a mark are translated, without the blanks at their ends; those, the other lines and
// all line ends (\n, \r\n, \r) stay as they are. A line is never joined to the next: whether a line ends in the middle
// of a sentence or is a verse, a heading or a row of a table is nothing that a plain text says.
class TextLines final : public Document {
 public:
  explicit TextLines(const std::vector<std::string>& texts);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Part {
    std::string before;      // what stays, up to a line
    bool translated = true;  // whether one follows
    std::size_t line = 0;    // of lines_
  };
  std::vector<std::vector<Part>> texts_;
};

}  // namespace hexapla::text::document
