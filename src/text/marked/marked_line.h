#pragma once
// A line of text with markup in it: elements around words (<b>..</b>), and what stands between words for itself (an
// image, a placeholder). The text alone is translated; by the alignment of words every element comes around the words
// that its own became, and what stands for itself next to its neighbor. All markup occurs once, well nested.
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

struct LinePart {
  // A point stands for itself and goes with its neighbor; a line break stays at the same part of the line.
  enum class Kind { text, open, close, point, line_break } kind = Kind::text;
  std::string content = {};  // text, or markup as it is written
  bool gap = false;          // of a point: words before and after it are two even without a blank
};

// Which words of the line a translation came from. Both lists are words of the texts, in order.
struct WordLinks {
  std::span<const std::string> source = {}, target = {};
  std::span<const std::pair<int, int>> links = {};  // (source, target), from 0
  // How much of the attention of a target word a source word had; none: unknown.
  std::function<double(std::size_t target, std::size_t source)> weight = {};
};
using Escape = std::function<std::string(std::string_view text)>;  // as the format writes text

class MarkedLine {
 public:
  struct Item {
    LinePart::Kind kind = LinePart::Kind::open;  // open: an element
    std::string open = {}, close = {};           // as written; of all but elements only open
    std::size_t begin = 0, end = 0;              // bytes of text()
    std::size_t parent = 0;                      // the element around it; 0: the line
    std::string before = {}, after = {};         // of a point: the blanks beside it
    bool first = false, last = false;            // of a point: no text of its parent comes before, or after
    bool gap = false;                            // as LinePart has it
  };

  // InternalError: an element that is not opened, or not closed.
  explicit MarkedLine(std::vector<LinePart> parts);

  // The text to translate. Blanks, line ends among them, are one; at its ends are none.
  const std::string& text() const { return text_; }
  // Whether a translation needs its alignment.
  bool marked() const { return items_.size() > 1; }
  // The first one is the whole line; an element comes before what is in it.
  const std::vector<Item>& items() const { return items_; }

  // The translation with all markup, and the blanks of both ends of the line. Where there are no links, or links of
  // other texts, words are taken to keep their order.
  std::string placed(std::string_view translation, const WordLinks& links, const Escape& escape) const;

 private:
  class Builder;

  std::string text_, before_, after_;  // the blanks of both ends
  std::vector<Item> items_;
};

}  // namespace hexapla::text
