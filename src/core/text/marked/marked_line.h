#pragma once
// A line of text with markup: elements around words (<b>..</b>), and standalone points between
// words (an image, a placeholder). Only the text is translated. The word alignment then puts every
// element around the translations of its words, and every point next to the translation of its
// neighbor. All markup occurs exactly once, properly nested.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

struct LinePart {
  // A point is standalone and moves with its neighbor; a line break keeps its relative position.
  enum class Kind { text, open, close, point, line_break } kind = Kind::text;
  std::string content = {};  // text, or markup as written
  bool gap = false;          // a point separates the words around it, even without a space
};

// The word alignment of a translation. Both lists contain words of the texts, in order.
struct WordLinks {
  std::span<const std::string> source = {}, target = {};
  std::span<const std::pair<int, int>> links = {};  // (source, target), from 0
  // The attention weight of a source word for a target word; none: unknown.
  std::function<double(std::size_t target, std::size_t source)> weight = {};
};
using Escape = std::function<std::string(std::string_view text)>;  // escapes text for the format

class MarkedLine {
 public:
  struct Item {
    LinePart::Kind kind = LinePart::Kind::open;  // open: an element
    std::string open = {}, close = {};           // as written; only elements have `close`
    std::size_t begin = 0, end = 0;              // bytes of text()
    std::size_t parent = 0;                      // the enclosing element; 0: the line
    std::string before = {}, after = {};         // of a point: the whitespace around it
    bool first = false, last = false;            // of a point: no text of its parent comes before, or after
    bool gap = false;                            // as in LinePart
  };

  // InternalError: an element that is not opened, or not closed.
  explicit MarkedLine(std::vector<LinePart> parts);

  // The text to translate, with each run of whitespace collapsed to one space, and none at its
  // ends.
  const std::string& text() const { return text_; }
  // Whether a translation needs its alignment.
  bool marked() const { return items_.size() > 1; }
  // The first item is the whole line; an element precedes its content.
  const std::vector<Item>& items() const { return items_; }

  // The translation with all markup and the line's leading and trailing whitespace. Without links,
  // or if they belong to other texts, words are assumed to keep their order.
  std::string placed(std::string_view translation, const WordLinks& links, const Escape& escape) const;

 private:
  class Builder;

  std::string text_, before_, after_;  // whitespace at both ends
  std::vector<Item> items_;
};

}  // namespace hexapla::text
