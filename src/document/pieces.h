#pragma once
// A text as what stays as it is and lines that are translated, in turn.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "text/marked/marked_line.h"

namespace hexapla::document {

class Pieces {
 public:
  // escape: as the format writes text.
  explicit Pieces(text::Escape escape) : escape_(std::move(escape)) {}

  void keep(std::string_view bytes);
  // raw: the line as it is written; it stays so where it has nothing to translate.
  void add(text::MarkedLine line, std::string_view raw);

  const std::vector<text::MarkedLine>& lines() const { return lines_; }
  // found: for each line its translations.
  std::string joined(std::span<const std::vector<Translation>> found, std::size_t rank) const;

 private:
  text::Escape escape_;
  std::vector<text::MarkedLine> lines_;
  std::vector<std::string> kept_{1};  // before each line, and after the last
};

// Several texts of one format.
class PiecesDocument final : public Document {
 public:
  explicit PiecesDocument(std::vector<Pieces> texts);

  std::string joined(std::size_t text, const Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const Lines& found) const override;

 private:
  std::span<const std::vector<Translation>> of_text(std::size_t text, const Lines& found) const;

  std::vector<Pieces> texts_;
  std::vector<std::size_t> first_;  // line of each text
};

}  // namespace hexapla::document
