#pragma once
// A text as alternating kept bytes and lines to translate.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "text/marked/marked_line.h"

namespace hexapla::text::document {

// Whether there is anything to translate: a mark next to a placeholder ("{0}/{1}") is not.
bool has_words(const text::MarkedLine& line);
// Inserts the line's markup into the translation, using its alignment of "words".
std::string placed(const text::MarkedLine& line, const Translation& translation, const text::Escape& escape);

class Pieces {
 public:
  // Adapts a whole translated line with its markup to the format.
  using Writing = std::function<std::string(std::string line)>;

  // escape: how the format writes text.
  explicit Pieces(text::Escape escape) : escape_(std::move(escape)) {}

  void keep(std::string_view bytes);
  // raw: the line as written; kept if there is nothing to translate or the translation equals the
  // source. writing: none: the escaped text with its markup is written as it is.
  void add(text::MarkedLine line, std::string_view raw, Writing writing = {});

  struct Line {
    text::MarkedLine line;
    std::string raw;
    Writing writing;
  };
  const std::vector<Line>& lines() const { return lines_; }
  // found: the translations of each line.
  std::string joined(std::span<const std::vector<Translation>> found, std::size_t rank) const;

 private:
  std::string written(const Line& line, const Translation& translation) const;

  text::Escape escape_;
  std::vector<Line> lines_;
  std::vector<std::string> kept_{1};  // bytes before each line, and after the last
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
  std::vector<std::size_t> first_;  // index of each text's first line
};

}  // namespace hexapla::text::document
