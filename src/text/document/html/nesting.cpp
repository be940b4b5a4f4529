#include "text/document/html/nesting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "text/ascii.h"
#include "text/document/names.h"

namespace hexapla::text::document {
namespace {

constexpr std::size_t kDeepest = 1000;
constexpr std::size_t kMostWork = 20'000'000;                // tags times open elements: about a second
constexpr std::size_t kMostCopies = std::size_t{800} << 20;  // bytes of copies of elements that blocks leave open

// Elements whose end tag is optional or absent: the next tag closes them.
constexpr std::array<std::string_view, 35> kClosedByOthers{
    "area", "base", "body",   "br",    "caption", "col",   "colgroup", "dd",       "dt", "embed", "head", "hr",
    "html", "img",  "input",  "li",    "link",    "meta",  "option",   "optgroup", "p",  "param", "rb",   "rp",
    "rt",   "rtc",  "source", "tbody", "td",      "tfoot", "th",       "thead",    "tr", "track", "wbr"};
// Formatting elements that the parser reopens after a block that leaves them open.
constexpr std::array<std::string_view, 14> kReopened{"a",    "b", "big",   "code",   "em",     "font", "i",
                                                     "nobr", "s", "small", "strike", "strong", "tt",   "u"};
constexpr std::array<std::string_view, 3> kWithoutTags{"script", "style", "textarea"};

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

class Nesting {
 public:
  void open(const std::string& name, std::size_t copy) {
    open_[name].push_back(copy);
    ++depth_;
    copies_ += copy;
  }
  void close(const std::string& name) {
    std::vector<std::size_t>& same = open_[name];
    if (same.empty()) return;
    copies_ -= same.back();
    same.pop_back();
    --depth_;
  }
  void check(std::size_t at) {
    work_ += depth_;
    all_copies_ += copies_;
    if (depth_ > kDeepest || work_ > kMostWork || all_copies_ > kMostCopies)
      throw DataError(cat("the page has ", depth_, " elements open at byte ", at, "; at most ", kDeepest,
                          " may be nested, and fewer in a long page: close them, or translate the page in parts"));
  }

 private:
  std::unordered_map<std::string, std::vector<std::size_t>> open_;
  std::size_t depth_ = 0, work_ = 0, copies_ = 0, all_copies_ = 0;
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
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string_view::npos; ++at) {
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
    if (!among(kClosedByOthers, name))
      ends ? nesting.close(name) : nesting.open(name, among(kReopened, name) ? size_of_copy(html, at) : 0);
    nesting.check(at);
    if (ends || !among(kWithoutTags, name)) continue;
    const std::size_t content = std::min(html.find('>', begin), html.size() - 1) + 1;
    at = hide(content, end_of_content(html, content, name));
  }
  return page;
}

}  // namespace hexapla::text::document
