#include "documents/html/nesting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/cancellation.h"
#include "documents/names.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

constexpr std::size_t kDeepest = 1000;
constexpr std::size_t kMostAttributes = 250;                 // of a tag: the parser compares each with all others
constexpr std::size_t kMostWork = 20'000'000;                // tags times open elements: about a second
constexpr std::size_t kMostCopies = std::size_t{800} << 20;  // bytes of copies of elements that blocks leave open

using Names = std::span<const std::string_view>;

// They have no content, except inside a drawing or a formula.
constexpr std::array<std::string_view, 16> kVoid{"area",  "base",  "br",      "col",   "embed", "hr",
                                                 "img",   "input", "link",    "meta",  "param", "source",
                                                 "track", "wbr",   "bgsound", "keygen"};
constexpr std::array<std::string_view, 3> kOnce{"html", "head", "body"};
// Elements whose end tag is optional: the parser closes the innermost ones when one of these begins, each with its
// list.
constexpr std::array<std::string_view, 1> kParagraph{"p"};
constexpr std::array<std::string_view, 2> kItem{"li", "p"}, kChoice{"option", "optgroup"};
constexpr std::array<std::string_view, 3> kTerm{"dd", "dt", "p"};
constexpr std::array<std::string_view, 4> kRuby{"rb", "rp", "rt", "rtc"};
constexpr std::array<std::string_view, 17> kTable{"p",     "li",    "dd",    "dt",      "option",  "rb",
                                                  "rp",    "rt",    "rtc",   "td",      "th",      "tr",
                                                  "tbody", "tfoot", "thead", "caption", "colgroup"};
const Names kOfTable = Names(kTable).last(8);
// Inside a drawing or a formula; the first two begin it, in the others there is HTML again.
constexpr std::array<std::string_view, 11> kForeign{"svg", "math",  "foreignobject", "desc", "title", "mi", "mo", "mn",
                                                    "ms",  "mtext", "annotation-xml"};
// Tags of HTML that end a drawing or a formula.
constexpr std::array<std::string_view, 44> kEndDrawing{
    "b",     "big",   "blockquote", "body",   "br",   "center", "code",  "dd", "div",  "dl",   "dt",
    "em",    "embed", "h1",         "h2",     "h3",   "h4",     "h5",    "h6", "head", "hr",   "i",
    "img",   "li",    "listing",    "menu",   "meta", "nobr",   "ol",    "p",  "pre",  "ruby", "s",
    "small", "span",  "strong",     "strike", "sub",  "sup",    "table", "tt", "u",    "ul",   "var"};
// Formatting elements that the parser reopens after a block that leaves them open.
constexpr std::array<std::string_view, 14> kReopened{"a",    "b", "big",   "code",   "em",     "font", "i",
                                                     "nobr", "s", "small", "strike", "strong", "tt",   "u"};
constexpr std::array<std::string_view, 3> kWithoutTags{"script", "style", "textarea"};

// Those that the beginning of this element closes, and the element in which it does; nothing: it closes none.
struct Closes {
  Names names;
  std::string_view inside = {};
};
Closes closed_by(std::string_view name) {
  if (name == "p") return {kParagraph};
  if (name == "li") return {kItem};
  if (name == "dd" || name == "dt") return {kTerm};
  if (name == "option") return {Names(kChoice).first(1)};
  if (name == "optgroup") return {kChoice, "select"};
  if (among(kRuby, name)) return {kRuby, "ruby"};
  if (name == "td" || name == "th") return {Names(kTable).first(11), "table"};
  if (name == "tr") return {Names(kTable).first(12), "table"};
  if (among(kOfTable, name)) return {kTable, "table"};
  return {};
}
bool has_optional_end(std::string_view name) { return !closed_by(name).names.empty(); }

bool ends_name(char c) { return c == '>' || c == '/' || text::ascii::is_space(c); }

std::string name_at(std::string_view html, std::size_t at) {
  std::string name;
  for (; at < html.size() && name.size() < 20 && !ends_name(html[at]); ++at) name += text::ascii::lower(html[at]);
  return name;
}

// The parser's memory in bytes for one more copy of the element whose tag begins at `at`.
std::size_t size_of_copy(std::string_view html, std::size_t at) {
  const std::string_view tag = html.substr(at, std::min(html.find('>', at), html.size()) - at);
  return 150 + 120 * static_cast<std::size_t>(std::count_if(tag.begin() + 1, tag.end(), ends_name));
}

// The elements that the parser holds open, or more.
class Nesting {
 public:
  void open(const std::string& name, std::size_t copy, bool ended) {
    if (is_foreign()) {
      if (!among(kEndDrawing, name)) return ended ? void() : push(name, copy);
      close_through([](std::string_view one) { return one == "svg" || one == "math"; });
    }
    if (among(kVoid, name) || among(kOnce, name)) return;
    const Closes closes = closed_by(name);
    const bool applies = closes.inside.empty() || is_open(closes.inside);
    if (among(kOfTable, name) && !applies && !is_open("template")) return;  // the parser leaves it out
    while (applies && !open_.empty() && among(closes.names, open_.back().name)) pop();
    push(name, copy);
  }
  void close(const std::string& name) {
    if (!is_open(name)) return;
    if (name == "svg" || name == "math") return close_through([&](std::string_view one) { return one == name; });
    std::vector<Open> others;  // those inside it that need an end tag of their own
    for (; open_.back().name != name; pop())
      if (!has_optional_end(open_.back().name)) others.push_back(open_.back());
    pop();
    for (; !others.empty(); others.pop_back()) push(others.back().name, others.back().copy);
  }
  void check(std::size_t at) {
    work_ += open_.size();
    all_copies_ += copies_;
    if (open_.size() > kDeepest || work_ > kMostWork || all_copies_ > kMostCopies)
      throw DataError(cat("the page has ", open_.size(), " elements open at byte ", at, "; at most ", kDeepest,
                          " may be nested, and fewer in a long page: close them, or translate the page in parts"));
  }

 private:
  struct Open {
    std::string name;
    std::size_t copy;
  };
  bool is_open(std::string_view name) const {
    const auto found = number_of_.find(name);
    return found != number_of_.end() && found->second > 0;
  }
  bool is_foreign() const {
    if (!is_open("svg") && !is_open("math")) return false;
    const std::string& innermost = open_[foreign_.back()].name;
    return innermost == "svg" || innermost == "math";
  }
  void push(const std::string& name, std::size_t copy) {
    ++number_of_[name];
    copies_ += copy;
    if (among(kForeign, name)) foreign_.push_back(open_.size());
    open_.push_back({name, copy});
  }
  void pop() {
    if (!foreign_.empty() && foreign_.back() == open_.size() - 1) foreign_.pop_back();
    --number_of_.find(open_.back().name)->second;
    copies_ -= open_.back().copy;
    open_.pop_back();
  }
  template <class Last>
  void close_through(Last&& last) {
    while (!last(open_.back().name)) pop();
    pop();
  }

  std::vector<Open> open_;            // innermost last
  std::vector<std::size_t> foreign_;  // those of kForeign, as places in open_
  std::map<std::string, std::size_t, std::less<>> number_of_;
  std::size_t work_ = 0, copies_ = 0, all_copies_ = 0;
};

// Counts attributes from each place where a tag may begin, whatever the parser takes it for.
class Attributes {
 public:
  explicit Attributes(std::string_view html) : html_(html), most_(16 * html.size() + (std::size_t{1} << 20)) {}

  // at: the end of the tag's name. -> whether the tag ends in />
  bool check(std::size_t begin, std::size_t at, std::string_view name) {
    std::size_t number = 0;
    std::size_t& all = name == "html" ? of_html_ : name == "body" ? of_body_ : number;  // their tags become one
    const std::size_t from = at;
    while ((at = html_.find_first_not_of(" \t\n\f\r/", at)) != html_.npos && html_[at] != '>') {
      if (++all > kMostAttributes)
        throw DataError(cat("the tag <", name, "> at byte ", begin, " has more than ", kMostAttributes,
                            " attributes: leave some of them out"));
      at = after_attribute(at);
    }
    at = std::min(at, html_.size());
    if ((read_ += at - from) > most_)
      throw DataError(cat("the tag <", name, "> at byte ", begin, " and others do not end: write their > and quotes"));
    return at < html_.size() && html_[at - 1] == '/';
  }

 private:
  std::size_t skip(std::size_t at) const { return std::min(html_.find_first_not_of(" \t\n\f\r", at), html_.size()); }
  std::size_t after_attribute(std::size_t at) const {
    at = skip(std::min(html_.find_first_of(" \t\n\f\r/>=", at + 1), html_.size()));
    if (at == html_.size() || html_[at] != '=') return at;
    at = skip(at + 1);
    if (at == html_.size()) return at;
    if (html_[at] == '"' || html_[at] == '\'') return std::min(html_.find(html_[at], at + 1), html_.size() - 1) + 1;
    return std::min(html_.find_first_of(" \t\n\f\r>", at), html_.size());
  }

  std::string_view html_;
  const std::size_t most_;  // bytes to read
  std::size_t read_ = 0, of_html_ = 0, of_body_ = 0;
};

// Where the content of the element ends whose start tag begins before `at`.
std::size_t end_of_content(std::string_view html, std::size_t at, const std::string& name) {
  for (; (at = html.find("</", at)) != std::string_view::npos; at += 2)
    if (name_at(html, at + 2) == name) return at;
  return html.size();
}

}  // namespace

std::string readable_page(std::string_view html) {
  std::string page(html);
  const auto hide = [&](std::size_t from, std::size_t to) {
    std::fill(page.begin() + static_cast<std::ptrdiff_t>(from), page.begin() + static_cast<std::ptrdiff_t>(to), ' ');
    return to - 1;
  };
  Nesting nesting;
  Attributes attributes(html);
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string_view::npos; ++at) {
    check_canceled();
    if (html.substr(at, 4) == kCommentBegin) {
      const std::size_t content = std::min(at + 4, html.size()),
                        end = std::min(html.find(kCommentEnd, at + 2), html.size());
      at = hide(content, std::max(content, end));
      continue;
    }
    const bool ends = html.substr(at + 1, 1) == "/";
    const std::size_t begin = at + (ends ? 2 : 1);
    if (begin >= html.size() || !text::ascii::is_letter(html[begin])) continue;
    const std::string name = name_at(html, begin);
    const bool ended = attributes.check(at, begin + name.size(), name);
    ends ? nesting.close(name) : nesting.open(name, among(kReopened, name) ? size_of_copy(html, at) : 0, ended);
    nesting.check(at);
    if (ends || !among(kWithoutTags, name)) continue;
    const std::size_t content = std::min(html.find('>', begin), html.size() - 1) + 1;
    at = hide(content, end_of_content(html, content, name));
  }
  return page;
}

}  // namespace hexapla::text::document
