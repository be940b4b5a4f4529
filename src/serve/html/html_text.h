#pragma once
// HTML, whose text is translated between its tags. Tags within a sentence go along with the words that they enclose, by
// the alignment of words: <b> around a word comes around the words of its translation, twice where these lie apart.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "serve/work/text_parts.h"

namespace hexapla::serve {

// A tag, a comment or an element that is not translated, or the text between two of them.
struct HtmlToken {
  enum class Kind { text, open, close, point, block };  // point: a tag that encloses nothing; block: ends a sentence
  Kind kind;
  std::string name;  // of a tag, in lower case
  std::string html;  // as it is written
};

// Never fails: what is no markup is text.
std::vector<HtmlToken> html_tokens(std::string_view html);

class HtmlText final : public TextParts {
 public:
  explicit HtmlText(const std::vector<std::string>& texts);

  bool aligned() const override { return aligned_; }
  std::string joined(std::size_t text, const PendingTranslation::Lines& found, std::size_t rank) const override;
  std::size_t ranks(std::size_t text, const PendingTranslation::Lines& found) const override;

 private:
  // Around the words first .. last - 1 of a sentence; the parent is the element around it, or none.
  struct Element {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::string open, close;
    std::size_t first, last, parent;
  };
  struct Point {
    std::string html;
    std::size_t before;  // this word
  };
  struct Sentence {
    std::string before, after;  // what stays as it is: markup, blanks
    bool translated = false;
    std::size_t line = 0;  // of lines_, where it is
    std::vector<Element> elements = {};
    std::vector<Point> points = {};
    std::size_t words = 0;
  };
  using Tokens = std::vector<HtmlToken>;

  void add_run(std::vector<Sentence>& sentences, const Tokens& run);
  void add_sentence(std::vector<Sentence>& sentences, const Tokens& run);
  static std::string translated(const Sentence& sentence, const Translation& t);
  static std::vector<std::size_t> path_of(const Sentence& sentence, std::size_t word);

  std::vector<std::vector<Sentence>> texts_;
  bool aligned_ = false;
};

}  // namespace hexapla::serve
