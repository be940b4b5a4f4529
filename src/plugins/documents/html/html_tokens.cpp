// Gumbo reports the position of each element and text in the page, so that everything else keeps
// its bytes.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/error.h"
#include "base/system/cancellation.h"
#include "documents/html/html.h"
#include "documents/html/html_tree.h"
#include "documents/html/nesting.h"
#include "documents/names.h"
#include "text/ascii.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::array<std::string_view, 64> kBlocks{
    "address",  "article",  "aside",   "base",     "blockquote", "body", "button", "caption", "center",   "col",
    "colgroup", "dd",       "details", "dialog",   "dir",        "div",  "dl",     "dt",      "fieldset", "figcaption",
    "figure",   "footer",   "form",    "frame",    "frameset",   "h1",   "h2",     "h3",      "h4",       "h5",
    "h6",       "head",     "header",  "hgroup",   "hr",         "html", "legend", "li",      "main",     "menu",
    "nav",      "noframes", "ol",      "optgroup", "option",     "p",    "pre",    "search",  "section",  "select",
    "summary",  "table",    "tbody",   "td",       "tfoot",      "th",   "thead",  "title",   "tr",       "ul",
    "noscript", "template", "xmp",     "plaintext"};
constexpr std::array<std::string_view, 15> kWithoutContent{"area",   "bgsound", "br",   "embed",  "img",
                                                           "input",  "keygen",  "link", "meta",   "param",
                                                           "source", "track",   "wbr",  "spacer", "basefont"};
// Their content is not in the page's language, or must not be translated.
constexpr std::array<std::string_view, 19> kUntouched{
    "script", "style", "code",   "pre",    "kbd",   "samp",  "var",    "svg", "math",     "textarea",
    "rt",     "rp",    "iframe", "object", "video", "audio", "canvas", "xmp", "plaintext"};

using text::ascii::is_space, text::ascii::lower;

std::string name_of_tag(std::string_view tag) {
  tag.remove_prefix(std::min<std::size_t>(tag.starts_with("</") ? 2 : 1, tag.size()));
  std::size_t end = 0;
  while (end < tag.size() && tag[end] != '>' && tag[end] != '/' && !is_space(tag[end])) ++end;
  return lower(tag.substr(0, end));
}

std::string_view view(const GumboStringPiece& piece) { return {piece.data == nullptr ? "" : piece.data, piece.length}; }

bool is_element(const GumboNode& node) { return node.type == GUMBO_NODE_ELEMENT || node.type == GUMBO_NODE_TEMPLATE; }

std::string_view attribute(const GumboElement& element, const char* name) {
  const GumboAttribute* const found = gumbo_get_attribute(&element.attributes, name);
  return found == nullptr ? std::string_view() : found->value;
}

bool has_class(const GumboElement& element, std::string_view name) {
  std::string classes = cat(' ', lower(attribute(element, "class")), ' ');
  std::replace_if(classes.begin(), classes.end(), is_space, ' ');
  return classes.find(cat(' ', name, ' ')) != std::string::npos;
}

// Whether the element's text is translated: its own attributes decide, else the enclosing
// element's.
bool is_translated(const GumboElement& element, bool outside) {
  const GumboAttribute* const given = gumbo_get_attribute(&element.attributes, "translate");
  if (has_class(element, "notranslate")) return false;
  if (given == nullptr) return outside;
  const std::string word = lower(given->value);
  return word == "no" ? false : word == "yes" || word.empty() ? true : outside;
}

// Whether a <meta> describes the page: by its name, or by its property, which social networks read.
bool describes_page(const GumboElement& meta) {
  return among(std::array<std::string_view, 3>{"description", "og:description", "twitter:description"},
               lower(cat(attribute(meta, "name"), attribute(meta, "property"))));
}

// Attributes that people read. The title of a <link> or <style> names a style sheet for scripts.
bool is_for_people(const std::string& element, const GumboElement& e, std::string_view name) {
  if (element == "meta") return name == "content" && describes_page(e);
  return name == "alt" || name == "placeholder" || (name == "title" && element != "link" && element != "style");
}

struct Stretch {  // a range of the page
  std::size_t begin, end;
  Token token;
};

class HtmlReader {
 public:
  // readable: the page as it may be parsed, of the same length.
  HtmlReader(std::string_view html, std::string_view readable) : html_(html), readable_(readable) {}

  std::vector<Token> tokens() {
    parse();
    std::size_t at = 0;
    for (Stretch& s : found_) {
      if (s.begin < at) continue;  // in an element that is left alone, or the end tag of a copy
      add_rest(at, s.begin);
      all_.push_back(std::move(s.token));
      at = s.end;
    }
    add_rest(at, html_.size());
    return std::move(all_);
  }

  std::vector<HtmlAttribute> attributes() {
    parse();
    return std::move(attributes_);
  }

 private:
  struct Inside {  // an element
    bool text = false, letter = false,
         ascii = false;       // whether it has text besides blanks, a letter, an ASCII character
    bool translated = false;  // whether it has an element that says so itself
  };
  struct Visit {
    const GumboNode* node;
    bool translated;
  };

  void parse() {
    const HtmlTree tree(readable_);
    look_inside(tree.root());
    read_all(tree.root());
    const auto earlier = [](const auto& a, const auto& b) { return a.begin < b.begin; };
    std::stable_sort(found_.begin(), found_.end(), earlier);
    std::stable_sort(attributes_.begin(), attributes_.end(), earlier);
  }

  void read_all(const GumboNode& root) {
    std::vector<Visit> todo{{&root, true}};
    while (!todo.empty()) {
      check_canceled();
      const Visit visit = todo.back();
      todo.pop_back();
      if (!is_element(*visit.node)) {
        read_text(*visit.node, visit.translated);
        continue;
      }
      const GumboElement& element = visit.node->v.element;
      const bool translated = is_translated(element, visit.translated);
      if (!read_element(*visit.node, translated)) continue;
      for (unsigned i = element.children.length; i-- > 0;)
        todo.push_back({static_cast<const GumboNode*>(element.children.data[i]), translated});
    }
  }

  std::size_t offset(const GumboStringPiece& piece) const {
    return static_cast<std::size_t>(piece.data - readable_.data());
  }
  std::string raw(std::size_t begin, std::size_t end) const { return std::string(html_.substr(begin, end - begin)); }
  void add(Kind kind, const std::string& name, std::size_t begin, std::size_t end) {
    const bool line_break = name == "br" && name_of_tag(html_.substr(begin)) == name;  // not an empty tag of XHTML
    found_.push_back({begin, end, {kind, name, raw(begin, end), "", line_break}});
  }

  // -> whether to read its children, too
  bool read_element(const GumboNode& node, bool translated) {
    const GumboElement& e = node.v.element;
    const std::string_view tag = view(e.original_tag), end_tag = view(e.original_end_tag);
    if (tag.empty()) return true;  // inserted by the parser
    const std::string name = name_of_tag(tag);
    const bool copy = (node.parse_flags & (GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT |
                                           GUMBO_INSERTION_ADOPTION_AGENCY_CLONED)) != 0;
    if (!copy && translated) read_attributes(e, name);
    const bool ended = !end_tag.empty() && name_of_tag(end_tag) == name;
    const std::size_t begin = offset(e.original_tag), after_tag = begin + tag.size();
    const Kind block = among(kBlocks, name) ? Kind::block : Kind::open;
    const bool alone = among(kWithoutContent, name) || (!ended && tag.ends_with("/>"));
    const std::size_t end = ended ? offset(e.original_end_tag) + end_tag.size() : e.end_pos.offset;
    if (!copy && !alone &&
        (is_left_alone(node, name, translated) || (block != Kind::block && is_note(node, begin, end)))) {
      add(block == Kind::block ? block : Kind::point, name, begin, std::max(end, after_tag));
      return false;
    }
    if (!copy) add(alone && block != Kind::block ? Kind::point : block, name, begin, after_tag);
    if (ended)
      add(block == Kind::block ? block : Kind::close, name, offset(e.original_end_tag),
          offset(e.original_end_tag) + end_tag.size());
    return true;
  }

  void read_attributes(const GumboElement& e, const std::string& name) {
    for (unsigned i = 0; i < e.attributes.length; ++i) {
      const auto& a = *static_cast<const GumboAttribute*>(e.attributes.data[i]);
      if (*a.value == '\0' || !is_for_people(name, e, a.name)) continue;
      const bool quoted = a.original_value.data[0] == '"' || a.original_value.data[0] == '\'';
      const std::size_t begin = offset(a.original_value), end = begin + a.original_value.length;
      attributes_.push_back({begin + (quoted ? 1 : 0), end - (quoted ? 1 : 0), a.value});
    }
  }

  bool is_left_alone(const GumboNode& node, const std::string& name, bool translated) const {
    return among(kUntouched, name) || (!translated && !inside(node).translated);
  }
  // A footnote number or an exponent at the end of a word, or symbols only; not the 2 of H2O.
  bool is_note(const GumboNode& node, std::size_t begin, std::size_t end) const {
    const Inside its = inside(node);
    if (!its.text || its.letter) return false;
    if (!its.ascii) return true;
    const char after = end < html_.size() ? html_[end] : ' ';
    const bool goes_on = text::ascii::is_letter(after) || text::ascii::is_digit(after) || (after & 0x80) != 0;
    return begin > 0 && !is_space(html_[begin - 1]) && !goes_on;
  }

  // Once for all elements, because they may be inside each other.
  void look_inside(const GumboNode& root) {
    std::vector<std::pair<const GumboNode*, std::size_t>> all{
        {&root, 0}};  // each after the one around it, whose place it has
    for (std::size_t i = 0; i < all.size(); ++i) {
      check_canceled();
      if (!is_element(*all[i].first)) continue;
      const GumboVector& children = all[i].first->v.element.children;
      for (unsigned k = 0; k < children.length; ++k)
        all.emplace_back(static_cast<const GumboNode*>(children.data[k]), i);
    }
    for (std::size_t i = all.size(); i-- > 1;) {
      const GumboNode& node = *all[i].first;
      const Inside its = is_element(node) ? inside(node) : inside(node.v.text.text);
      Inside& around = inside_[all[all[i].second].first];
      around.text |= its.text, around.letter |= its.letter, around.ascii |= its.ascii;
      around.translated |= its.translated || (is_element(node) && node.v.element.attributes.length > 0 &&
                                              is_translated(node.v.element, false));
    }
  }
  static Inside inside(std::string_view text) {
    const bool ascii = std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
    return {!text::ascii::all_space(text), text::has_letter(text), ascii, false};
  }
  Inside inside(const GumboNode& element) const {
    const auto found = inside_.find(&element);
    return found == inside_.end() ? Inside() : found->second;
  }

  void read_text(const GumboNode& node, bool translated) {
    if (node.type != GUMBO_NODE_TEXT && node.type != GUMBO_NODE_WHITESPACE) return;
    const GumboStringPiece& piece = node.v.text.original_text;
    if (piece.data == nullptr || piece.length == 0) return;
    const std::size_t begin = offset(piece), end = begin + piece.length;
    const bool title = node.parent != nullptr && node.parent->type == GUMBO_NODE_ELEMENT &&
                       node.parent->v.element.tag == GUMBO_TAG_TITLE;
    if (!translated && node.type == GUMBO_NODE_TEXT)
      add(Kind::point, "", begin, end);
    else if (title || markup_in(begin, end) == end)
      found_.push_back({begin, end, {Kind::text, "", raw(begin, end), node.v.text.text}});
    // else: tags that the parser dropped; add_rest() finds them
  }

  // The position of the first tag or comment in the range, or its end.
  std::size_t markup_in(std::size_t begin, std::size_t end) const {
    for (std::size_t at = begin; at < end; ++at) {
      if (html_[at] != '<') continue;
      const std::string_view next = html_.substr(at + 1, std::min<std::size_t>(2, end - at - 1));
      if (next.empty()) continue;
      if (text::ascii::is_letter(next[0]) || next[0] == '!' || next[0] == '?') return at;
      if (next[0] == '/' && next.size() > 1 && text::ascii::is_letter(next[1])) return at;
    }
    return end;
  }

  // Adds the bytes that the parser has no node for: comments, stray end tags, the text around them,
  // whitespace.
  void add_rest(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t markup = markup_in(begin, end);
      if (markup > begin) all_.push_back({Kind::text, "", raw(begin, markup), without_entities(raw(begin, markup))});
      if (markup == end) return;
      const bool comment = html_.substr(markup, 4) == kCommentBegin;
      const std::size_t closing = html_.find(comment ? kCommentEnd : std::string_view(">"), markup);
      begin = closing == std::string_view::npos ? end : std::min(end, closing + (comment ? 3 : 1));
      const std::string name = name_of_tag(html_.substr(markup, begin - markup));
      const bool block = among(kBlocks, name) || name.starts_with("!doctype");
      all_.push_back({block ? Kind::block : Kind::point, name, raw(markup, begin), ""});
    }
  }

  std::string_view html_, readable_;
  std::unordered_map<const GumboNode*, Inside> inside_;  // of each element with content
  std::vector<Stretch> found_;
  std::vector<HtmlAttribute> attributes_;
  std::vector<Token> all_;
};

}  // namespace

std::string without_entities(std::string_view text) {
  if (text.find('&') == std::string_view::npos) return std::string(text);
  std::string all = "x", result;  // after a letter, because a parser drops whitespace at the beginning of a page
  for (const char c : text) c == '<' ? all += "&lt;" : all += c;
  for (const Token& token : HtmlReader(all, all).tokens()) result += token.text;
  return result.substr(1);
}

std::vector<Token> html_tokens(std::string_view html, std::string_view parsed) {
  const std::string readable = readable_page(parsed);
  return HtmlReader(html, readable).tokens();
}

std::vector<HtmlAttribute> html_attributes(std::string_view html) {
  const std::string readable = readable_page(html);
  return HtmlReader(html, readable).attributes();
}

std::vector<Token> html_tokens(std::string_view html) { return html_tokens(html, html); }

bool is_html_block(std::string_view name) { return among(kBlocks, name); }
bool has_html_content(std::string_view name) { return !among(kWithoutContent, name); }

}  // namespace hexapla::text::document
