#include "documents/markdown/markdown_inlines.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "documents/html/html.h"
#include "text/ascii.h"
#include "text/lines/marks.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kClosed = static_cast<std::size_t>(-1);

bool latin_or_digit(char c) { return text::ascii::is_letter(c) || text::ascii::is_digit(c); }
bool ascii_mark(char c) { return c > ' ' && c < 127 && !latin_or_digit(c); }

std::string_view character_before(std::string_view text, std::size_t at) {
  text = text.substr(0, at);
  return text.substr(text::last_character(text));
}
bool is_mark(std::string_view c) {
  return (c.size() == 1 && ascii_mark(c[0])) || text::is_stop(c) || text::is_comma(c) || text::is_opening(c) ||
         text::is_closing(c);
}

class InlineScanner {
 public:
  InlineScanner(std::string_view text, const Labels& labels) : text_(text), labels_(labels) {
    for (std::size_t at = 0; (at = text_.find('`', at)) != text_.npos;) {
      const std::size_t size = run(at);
      codes_[size].push_back(at);
      at += size;
    }
    for (auto& [size, places] : codes_) std::reverse(places.begin(), places.end());
  }

  std::vector<Token> tokens() {
    while (at_ < text_.size()) take();
    take_text(text_.size());
    while (!open_.empty()) give_up_last();
    for (const auto& [token, range] : points_)
      if (token < tokens_.size() && tokens_[token].raw.empty())
        tokens_[token].raw = text_.substr(range.first, range.second);
    return std::move(tokens_);
  }

 private:
  struct Bracket {
    std::size_t token, from, place;  // place: in open_
    bool image;
  };

  std::size_t run(std::size_t at) const { return std::min(text_.find_first_not_of(text_[at], at), text_.size()) - at; }
  // Adds everything since the last markup as text.
  void take_text(std::size_t end) {
    if (end > from_)
      tokens_.push_back({Kind::text, "", std::string(text_.substr(from_, end - from_)),
                         without_breaks(text_.substr(from_, end - from_))});
    from_ = end;
  }
  static std::string without_breaks(std::string_view raw) {
    std::string text(raw);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  // -> the token's index
  std::size_t put(Kind kind, std::size_t size, std::string name = "", std::string text = "") {
    take_text(at_);
    tokens_.push_back({kind, std::move(name), std::string(text_.substr(at_, size)), std::move(text)});
    at_ += size;
    from_ = at_;
    return tokens_.size() - 1;
  }

  void take() {
    switch (text_[at_]) {
      case '\\':
        return take_backslash();
      case ' ':
        return take_blanks();
      case '`':
        return take_code();
      case '<':
        return take_tag();
      case '&':
        return take_entity();
      case '!':
      case '[':
        return take_opening();
      case ']':
        return take_closing();
      case '*':
      case '_':
      case '~':
        return take_marks();
      case 'h':
      case 'w':
        return take_address();
      default:
        ++at_;
    }
  }

  void take_backslash() {
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : 'x';
    if (next == '\n')
      put(Kind::block, 2);
    else if (ascii_mark(next))
      put(Kind::text, 2, "", std::string(1, next));
    else
      ++at_;
  }
  void take_blanks() {
    const std::size_t size = run(at_);
    if (size >= 2 && text_.substr(at_ + size, 1) == "\n")
      put(Kind::block, size + 1);
    else
      at_ += size;
  }
  void take_code() {
    const std::size_t size = run(at_);
    std::vector<std::size_t>& places = codes_[size];
    while (!places.empty() && places.back() <= at_) places.pop_back();
    if (places.empty())
      at_ += size;
    else
      put(Kind::point, places.back() + size - at_);
  }
  void take_tag() {
    const std::string_view rest = text_.substr(at_);
    const char next = rest.size() > 1 ? rest[1] : ' ';
    const bool ends = next == '/' && rest.size() > 2 && text::ascii::is_letter(rest[2]);
    const std::size_t end = rest.find_first_of("<>", 1);
    if (!(text::ascii::is_letter(next) || ends || next == '!' || next == '?') || end == rest.npos || rest[end] == '<') {
      ++at_;
      return;
    }
    std::string name(rest.substr(ends ? 2 : 1, rest.find_first_of(" \t\n/>", ends ? 2 : 1) - (ends ? 2 : 1)));
    const bool address = name.find_first_of(":@") != name.npos || !text::ascii::is_letter(next == '/' ? rest[2] : next);
    const bool alone =
        address || rest[end - 1] == '/' || name == "br" || name == "img" || name == "wbr" || name == "input";
    const std::size_t token = put(alone ? Kind::point : ends ? Kind::close : Kind::open, end + 1, cat('<', name));
    if (!alone) pair(token, !ends, ends);
  }
  void take_entity() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && end < at_ + 33 && (text_[end] == '#' || latin_or_digit(text_[end]))) ++end;
    if (end == text_.size() || text_[end] != ';' || end == at_ + 1) {
      ++at_;
      return;
    }
    const std::size_t size = end + 1 - at_;
    put(Kind::text, size, "", without_entities(text_.substr(at_, size)));
  }

  void take_opening() {
    const bool image = text_[at_] == '!';
    if (image && text_.substr(at_ + 1, 1) != "[") {
      ++at_;
      return;
    }
    brackets_.push_back({put(Kind::text, image ? 2 : 1, "", image ? "![" : "["), at_, open_.size(), image});
    open_.push_back(brackets_.back().token);
    last_bracket_ = at_;
  }

  // The position after the round bracket that closes the one at `at`; 0: there is none.
  std::size_t after_brackets(std::size_t at) {
    if (after_brackets_.empty()) {
      after_brackets_.resize(text_.size());
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < text_.size(); ++i) {
        if (text_[i] == '\\')
          ++i;
        else if (text_[i] == '(')
          open.push_back(i);
        else if (text_[i] == ')' && !open.empty())
          after_brackets_[open.back()] = i + 1, open.pop_back();
      }
    }
    return after_brackets_[at];
  }

  // The length of the rest of a link after "]": "(address)" or "[label]"; 0: there is none.
  // shortcut: the label itself is a reference. plain: it has no brackets, which no reference has.
  std::size_t size_of_target(std::string_view label, bool plain, std::string& written) {
    const std::string_view rest = text_.substr(at_ + 1, kLongestTarget);
    if (rest.starts_with("(")) {
      const std::size_t end = after_brackets(at_ + 1);
      return end > 0 && end - (at_ + 1) <= kLongestTarget ? end - (at_ + 1) : 0;
    }
    const std::size_t end = rest.starts_with("[") ? rest.find(']') : rest.npos;
    const std::string_view given = end == rest.npos ? "" : rest.substr(1, end - 1);
    if (given.empty() && !plain) return 0;
    if (!labels_.contains(markdown_label(given.empty() ? label : given))) return 0;
    if (given.empty()) written = cat("][", without_breaks(label), "]");
    return end == rest.npos ? 0 : end + 1;
  }

  void take_closing() {
    if (brackets_.empty()) {
      ++at_;
      return;
    }
    take_text(at_);
    const Bracket opening = brackets_.back();
    brackets_.pop_back();
    std::string written;
    const std::string_view label = text_.substr(opening.from, std::min(at_ - opening.from, kLongestLabel));
    const std::size_t target = size_of_target(label, opening.from == last_bracket_, written);
    last_bracket_ = at_ + 1;
    const bool footnote = label.starts_with("^") && label.find(' ') == label.npos;
    drop_to(opening.place, !(target > 0 || !written.empty() || footnote));
    if (opening.image ? target > 0 || !written.empty() : footnote)
      become_point(opening, 1 + target);
    else if (target > 0 || !written.empty())
      become_link(opening.token, 1 + target, std::move(written));
    else
      ++at_;
  }
  // Marks inside a link cannot pair with marks outside. keep: it is not a link, so marks inside
  // stay open.
  void drop_to(std::size_t place, bool keep) {
    if (keep) {
      open_[place] = kClosed;
      drop_holes();
      return;
    }
    while (open_.size() > place + 1) give_up_last();
    open_.pop_back();
    drop_holes();
  }
  // Its bytes are copied at the end, because images may be inside each other.
  void become_point(const Bracket& opening, std::size_t size) {
    tokens_.resize(opening.token);
    at_ += size, from_ = at_;
    const std::size_t begin = opening.from - (opening.image ? 2 : 1);
    points_[opening.token] = {begin, at_ - begin};
    tokens_.push_back({Kind::point});
  }
  void become_link(std::size_t token, std::size_t size, std::string written) {
    tokens_[token].kind = Kind::open;
    tokens_[token].name.assign(1, '[');
    tokens_[token].text.clear();
    put(Kind::close, size, "[", std::move(written));
  }

  void take_marks() {
    std::size_t size = run(at_);
    const char mark = text_[at_];
    const std::string_view before = character_before(text_, at_), after = at_ + size < text_.size()
                                                                              ? text::character_at(text_, at_ + size)
                                                                              : std::string_view();
    const bool blank_before = before.empty() || text::ascii::is_space(before[0]),
               blank_after = after.empty() || text::ascii::is_space(after[0]);
    const bool left = !blank_after && (!is_mark(after) || blank_before || is_mark(before));
    const bool right = !blank_before && (!is_mark(before) || blank_after || is_mark(after));
    const bool opens = left && (mark != '_' || !right || is_mark(before));
    const bool closes = right && (mark != '_' || !left || is_mark(after));
    if ((!opens && !closes) || (mark == '~' && size != 2)) {
      at_ += size;
      return;
    }
    const auto take = [&](std::size_t n, bool may_open, bool may_close) {
      pair(put(Kind::point, n, std::string(text_.substr(at_, n))), may_open, may_close);
      size -= n;
    };
    // *** closes ** and *, and opens both
    while (closes && size > 0 && !open_.empty() && is_part(tokens_[open_.back()].name, mark, size))
      take(tokens_[open_.back()].name.size(), false, true);
    if (opens && size == 3) take(1, true, false);
    if (size > 0) take(size, opens, closes);
  }
  static bool is_part(std::string_view name, char mark, std::size_t size) {
    return !name.empty() && name[0] == mark && name.size() <= size;
  }

  // Closes the last open token with the same name, or opens.
  void pair(std::size_t token, bool opens, bool closes) {
    const std::string name = tokens_[token].name;
    std::vector<std::size_t>& same = open_names_[name];
    const std::size_t first = brackets_.empty() ? 0 : brackets_.back().place + 1;  // in the innermost bracket
    if (closes && !same.empty() && same.back() >= first) {
      while (open_.size() > same.back() + 1) give_up_last();
      tokens_[open_.back()].kind = Kind::open;
      tokens_[token].kind = Kind::close;
      same.pop_back();
      open_.pop_back();
      return drop_holes();
    }
    tokens_[token].kind = Kind::point;
    if (!opens) return;
    same.push_back(open_.size());
    open_.push_back(token);
  }
  void give_up_last() {
    Token& token = tokens_[open_.back()];
    if (!token.name.empty()) {  // no bracket
      token.kind = Kind::point;
      open_names_[token.name].pop_back();
    }
    open_.pop_back();
    drop_holes();
  }
  void drop_holes() {
    while (!open_.empty() && open_.back() == kClosed) open_.pop_back();
  }

  void take_address() {
    const std::string_view rest = text_.substr(at_);
    const std::string_view before = character_before(text_, at_);
    const bool begins = before.empty() || text::ascii::is_space(before[0]) || before == "(" || before == "*" ||
                        before == "_" || before == "~";
    if (!begins || !(rest.starts_with("http://") || rest.starts_with("https://") || rest.starts_with("www."))) {
      ++at_;
      return;
    }
    std::size_t end = std::min(rest.find_first_of(" \t\n<*"), rest.size());
    const bool bracket = rest.substr(0, end).find('(') == rest.npos;
    while (end > 0 && (std::string_view("?!.,:_~'\"]").find(rest[end - 1]) != std::string_view::npos ||
                       (bracket && rest[end - 1] == ')')))
      --end;
    const std::size_t closing = rest.substr(0, end).find(']');
    put(Kind::point, std::min(end, closing));
  }

  static constexpr std::size_t kLongestTarget = 2000, kLongestLabel = 1000;

  std::string_view text_;
  const Labels& labels_;
  std::map<std::size_t, std::vector<std::size_t>> codes_;  // runs of ` by length, last one first
  std::size_t at_ = 0, from_ = 0;
  std::vector<Token> tokens_;
  std::vector<std::size_t> open_;  // indices of open tokens; none: of a bracket that is open no longer
  std::map<std::string, std::vector<std::size_t>> open_names_;  // places in open_
  std::vector<Bracket> brackets_;
  std::size_t last_bracket_ = 0;                                       // the position after the last square bracket
  std::vector<std::size_t> after_brackets_;                            // for each round bracket; empty: not known yet
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> points_;  // token: begin and length of its bytes
};

}  // namespace

std::string markdown_label(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (!text::ascii::is_space(c))
      label += text::ascii::lower(c);
    else if (!label.empty() && label.back() != ' ')
      label += ' ';
  }
  while (label.ends_with(' ')) label.pop_back();
  return label;
}

std::vector<Token> markdown_tokens(std::string_view text, const Labels& labels) {
  return InlineScanner(text, labels).tokens();
}

std::string with_backslashes(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at], before = at > 0 ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
    const bool alone = text::ascii::is_space(before) && text::ascii::is_space(after);
    const bool word =
        !text::ascii::is_space(before) && !ascii_mark(before) && !text::ascii::is_space(after) && !ascii_mark(after);
    const bool means = c == '`' || c == '[' || (c == '*' && !alone) || (c == '_' && !alone && !word) ||
                       (c == '~' && after == '~') || (c == '\\' && ascii_mark(after)) ||
                       (c == '<' && (text::ascii::is_letter(after) || after == '/' || after == '!' || after == '?')) ||
                       (c == '&' && (text::ascii::is_letter(after) || after == '#'));
    if (means) all += '\\';
    all += c;
  }
  return all;
}

}  // namespace hexapla::text::document
