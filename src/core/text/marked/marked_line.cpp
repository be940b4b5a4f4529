#include "text/marked/marked_line.h"

#include <algorithm>

#include "base/error.h"
#include "text/ascii.h"
#include "text/lines/marks.h"
#include "text/marked/placement.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using Kind = LinePart::Kind;
using Parts = std::vector<LinePart>;
constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

bool is_blank_text(const LinePart& part) { return part.kind == Kind::text && ascii::all_space(part.content); }

// Whether the character attaches to the word before it without a space.
bool hangs_on(std::string_view c) {
  return is_stop(c) || is_comma(c) || is_one_of(c, {")", "]", "}", "\u201D", "\u00BB", "%"});
}

// For each part that opens an element, the index of the part that closes it.
std::vector<std::size_t> partners(const Parts& parts) {
  std::vector<std::size_t> partner(parts.size(), kUnset), open;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == Kind::open) open.push_back(i);
    if (parts[i].kind != Kind::close) continue;
    HEXAPLA_CHECK(!open.empty(), "markup: ", parts[i].content, " closes nothing");
    partner[open.back()] = i;
    open.pop_back();
  }
  HEXAPLA_CHECK(open.empty(), "markup: ", open.empty() ? "" : parts[open.back()].content, " is not closed");
  return partner;
}

// Turns elements without text into points, and merges points separated only by whitespace.
Parts with_points_joined(Parts parts) {
  const std::vector<std::size_t> partner = partners(parts);
  std::vector<std::size_t> words(parts.size() + 1);  // number of parts with text before each part
  for (std::size_t i = 0; i < parts.size(); ++i)
    words[i + 1] = words[i] + (parts[i].kind == Kind::text && !is_blank_text(parts[i]) ? 1 : 0);
  Parts joined;
  std::string blanks;  // whitespace since the last element of joined, a point
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool empty = parts[i].kind == Kind::open && words[partner[i]] == words[i];
    const std::size_t last = empty ? partner[i] : i;
    LinePart part{empty ? Kind::point : parts[i].kind};
    for (std::size_t k = i; k <= last; ++k) part.content += parts[k].content, part.gap = part.gap || parts[k].gap;
    i = last;
    const bool after_point = !joined.empty() && joined.back().kind == Kind::point;
    if (after_point && is_blank_text(part)) {
      blanks += part.content;
    } else if (after_point && part.kind == Kind::point) {
      joined.back().content += std::exchange(blanks, "") + part.content;
      joined.back().gap = joined.back().gap || part.gap;
    } else {
      if (!blanks.empty()) joined.push_back({Kind::text, std::exchange(blanks, "")});
      joined.push_back(std::move(part));
    }
  }
  if (!blanks.empty()) joined.push_back({Kind::text, blanks});
  return joined;
}

}  // namespace

class MarkedLine::Builder {
 public:
  explicit Builder(MarkedLine& line) : line_(line) {}

  void add(const LinePart& part) {
    switch (part.kind) {
      case Kind::text:
        return add_text(part.content);
      case Kind::open:
        return open(part.content);
      case Kind::close:
        return close(part.content);
      default:
        return add_point(part);
    }
  }
  void finish() {
    end_points();
    line_.after_ = blanks_;
  }

 private:
  void add_text(std::string_view text) {
    for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
      bytes = character_bytes(text.substr(at));
      if (ascii::is_space(text[at]))
        blanks_ += text[at], gap_ = true;
      else
        add_character(text.substr(at, bytes));
    }
  }
  void add_character(std::string_view c) {
    Item* const point = last_point();
    if (point != nullptr && point->after.empty()) point->after = blanks_;
    if (nothing_yet()) line_.before_ = blanks_;
    const bool hangs = point != nullptr && blanks_.empty() && hangs_on(c);
    if (gap_ && !line_.text_.empty() && !hangs) line_.text_ += ' ';
    for (std::size_t i = open_.size(); i-- > 0 && line_.items_[open_[i]].begin == kUnset;)
      line_.items_[open_[i]].begin = line_.text_.size();
    line_.text_ += c;
    blanks_.clear();
    gap_ = false;
  }
  void open(const std::string& markup) {
    if (nothing_yet()) line_.before_ = blanks_;
    if (Item* const point = last_point()) point->after = blanks_;
    blanks_.clear();  // the whitespace is outside the element
    line_.items_.push_back({.open = markup, .begin = kUnset, .parent = parent()});
    open_.push_back(line_.items_.size() - 1);
  }
  void close(const std::string& markup) {
    end_points();
    Item& element = line_.items_[open_.back()];
    element.close = markup;
    element.end = line_.text_.size();
    open_.pop_back();
  }
  void add_point(const LinePart& part) {
    if (nothing_yet()) line_.before_ = std::exchange(blanks_, "");
    const std::size_t at = line_.text_.size();
    const bool first = open_.empty() ? at == 0 : line_.items_[open_.back()].begin == kUnset;
    line_.items_.push_back(
        {part.kind, part.content, "", at, at, parent(), std::exchange(blanks_, ""), "", first, false, part.gap});
    gap_ = gap_ || part.gap || part.kind == Kind::line_break;
  }
  // Marks a point after the last text of the element, or line, that ends here.
  void end_points() {
    Item* const point = last_point();
    if (point == nullptr || point->parent != parent()) return;
    point->last = true;
    if (!open_.empty()) point->after = std::exchange(blanks_, "");
  }
  // The point after the last character, if its enclosing element is still open.
  Item* last_point() {
    Item& last = line_.items_.back();
    const bool point = last.kind == Kind::point || last.kind == Kind::line_break;
    return point && last.begin == line_.text_.size() && !last.last ? &last : nullptr;
  }
  bool nothing_yet() const { return line_.text_.empty() && line_.items_.size() == 1; }
  std::size_t parent() const { return open_.empty() ? 0 : open_.back(); }

  MarkedLine& line_;
  std::vector<std::size_t> open_;
  std::string blanks_;  // since the last character or point
  bool gap_ = false;    // whether there was whitespace since the last character
};

MarkedLine::MarkedLine(std::vector<LinePart> parts) : items_(1) {
  Builder builder(*this);
  for (const LinePart& part : with_points_joined(std::move(parts))) builder.add(part);
  builder.finish();
  items_.front().end = text_.size();
}

std::string MarkedLine::placed(std::string_view translation, const WordLinks& links, const Escape& escape) const {
  return before_ + Placement(*this, translation, links).written(escape) + after_;
}

}  // namespace hexapla::text
