#include "documents/tags/xml_tokens.h"

#include <algorithm>
#include <set>
#include <utility>

#include "documents/html/html.h"
#include "documents/xml/xml_text.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;
using EventKind = XmlEvent::Kind;

// The next character: as written, and decoded.
std::pair<std::string_view, std::string_view> next_character(std::string_view raw, std::string_view text) {
  const std::size_t end = raw[0] == '&' ? raw.find(';') + 1 : raw.starts_with("\r\n") ? 2 : 1;
  std::size_t bytes = 1;
  while (raw[0] == '&' && bytes < text.size() && (text[bytes] & 0xC0) == 0x80) ++bytes;
  return {raw.substr(0, end), text.substr(0, bytes)};
}

// Decides from a document's structure which tags end a sentence.
class Outline {
 public:
  Outline(std::vector<Token>& tokens, const TagRules& rules)
      : tokens_(tokens), rules_(rules), parent_(tokens.size()), has_text_(tokens.size() + 1) {}

  void mark() {
    find_parents();
    std::vector<bool> splits(tokens_.size() + 1);
    std::set<std::string> names;
    splits[top()] = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (may_split(i) && splits[parent_[i]]) splits[i] = true, names.insert(tokens_[i].name);
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (may_split(i) && names.contains(tokens_[i].name)) splits[i] = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (splits[tokens_[i].kind == Kind::close ? parent_[i] : i]) tokens_[i].kind = Kind::block;
  }

 private:
  std::size_t top() const { return tokens_.size(); }
  bool may_split(std::size_t i) const {
    return tokens_[i].kind == Kind::open && !has_text_[parent_[i]] && !rules_.non_splitting.contains(tokens_[i].name);
  }
  void find_parents() {
    std::vector<std::size_t> open{top()};
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      parent_[i] = open.back();
      if (token.kind == Kind::text && !text::ascii::all_space(token.text)) has_text_[open.back()] = true;
      if (token.kind == Kind::open) open.push_back(i);
      if (token.kind == Kind::close) open.pop_back();
    }
  }

  std::vector<Token>& tokens_;
  const TagRules& rules_;
  std::vector<std::size_t> parent_;  // the start tag of the element around a token; for an end tag, its own start tag
  std::vector<bool> has_text_;
};

// An entity known to HTML becomes its character.
Token token_of_entity(const std::string& raw) {
  const std::vector<Token> html = html_tokens("x" + raw);  // a parser drops leading whitespace
  const bool known = html.size() == 1 && !html[0].text.ends_with(';');
  return known ? Token{Kind::text, "", raw, html[0].text.substr(1)} : Token{Kind::point, "", raw};
}

}  // namespace

void add_text(std::string_view xml, const XmlEvent& event, bool all_lines, std::vector<Token>& tokens) {
  std::string_view raw = xml.substr(event.begin, event.end - event.begin), text = event.text;
  if (event.kind == EventKind::cdata) return tokens.push_back({Kind::text, "", std::string(raw), event.text});
  Token line{Kind::text};
  const auto end_line = [&] {
    if (!line.raw.empty()) tokens.push_back(std::exchange(line, {Kind::text}));
  };
  while (!raw.empty()) {
    const auto [written, meant] = next_character(raw, text);
    raw.remove_prefix(written.size());
    text.remove_prefix(meant.size());
    const bool reference = written[0] == '&', line_end = meant == "\n" || meant == "\r";
    if (line_end && (reference || all_lines)) {
      end_line();
      tokens.push_back({Kind::block, "", std::string(written)});
    } else {
      line.raw += written;
      line.text += line_end ? written : meant;
    }
  }
  end_line();
}

Token token_of(std::string_view xml, const XmlEvent& event) {
  const std::string raw(xml.substr(event.begin, event.end - event.begin));
  if (event.kind == EventKind::start) return {Kind::open, event.name, raw};
  if (event.kind == EventKind::end) return {Kind::close, event.name, raw};
  if (event.kind == EventKind::entity) return token_of_entity(raw);
  return {raw.find("<!DOCTYPE") == std::string::npos ? Kind::point : Kind::block, event.name, raw};
}

Pieces xml_pieces(std::string_view xml, const std::string& name, const TagRules& rules) {
  std::vector<Token> tokens;
  for (const XmlEvent& event : xml_fragment_events(xml, name))
    if (event.kind == EventKind::text || event.kind == EventKind::cdata)
      add_text(xml, event, false, tokens);
    else
      tokens.push_back(token_of(xml, event));
  if (rules.outline) Outline(tokens, rules).mark();
  return pieces_of(std::move(tokens), rules, xml_text);
}

}  // namespace hexapla::text::document
