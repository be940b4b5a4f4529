#pragma once
// Plain texts, which are translated line by line.
#include <cstddef>
#include <string>
#include <vector>

#include "document/document.h"

namespace hexapla::document {

// Lines with a letter, a digit or a mark are translated, without their line ends; the others stay as they are.
class TextLines final : public Document {
 public:
  explicit TextLines(const std::vector<std::string>& texts);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  struct Part {
    bool translated;
    std::size_t line;  // of lines_, where it is
    std::string kept;  // the line, where it is not, and its end
  };
  std::vector<std::vector<Part>> texts_;
};

}  // namespace hexapla::document
