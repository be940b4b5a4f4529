#pragma once
// A text as what stays as it is and lines that are translated, in turn.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/document.h"
#include "text/marked/marked_line.h"

namespace hexapla::text::document {

// A mark alone beside a placeholder ("{0}/{1}") is nothing to translate.
bool has_words(const text::MarkedLine& line);
// The translation with the markup of its line, by its alignment of "words".
std::string placed(const text::MarkedLine& line, const Translation& translation, const text::Escape& escape);

class Pieces {
 public:
  // A translation with its markup, as the format has to write the whole of it.
  using Writing = std::function<std::string(std::string line)>;

  // escape: as the format writes text.
  explicit Pieces(text::Escape escape) : escape_(std::move(escape)) {}

  void keep(std::string_view bytes);
  // raw: the line as it is written; it stays so where it has nothing to translate, or where the translation is the
  // same. writing: none: as the escaped text and the markup are.
  void add(text::MarkedLine line, std::string_view raw, Writing writing = {});

  struct Line {
    text::MarkedLine line;
    std::string raw;
    Writing writing;
  };
  const std::vector<Line>& lines() const { return lines_; }
  // found: for each line its translations.
  std::string joined(std::span<const std::vector<Translation>> found, std::size_t rank) const;

 private:
  std::string written(const Line& line, const Translation& translation) const;

  text::Escape escape_;
  std::vector<Line> lines_;
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

}  // namespace hexapla::text::document
