#include <algorithm>

#include "documents/captions/caption_segments.h"
#include "documents/html/html.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

bool is_time_tag(std::string_view tag) {
  std::string_view inside = tag.substr(1, tag.size() - 2);
  return take_time(inside).has_value() && inside.empty();
}

bool begins_tag(std::string_view text) {
  if (text.starts_with("{\\")) return true;
  return text.size() > 1 && text[0] == '<' &&
         (text::ascii::is_letter(text[1]) || text::ascii::is_digit(text[1]) ||
          (text[1] == '/' && text.size() > 2 && text::ascii::is_letter(text[2])));
}

std::string name_of(std::string_view tag) {
  tag.remove_prefix(tag[1] == '/' ? 2 : 1);
  return text::ascii::lower(tag.substr(0, tag.find_first_of(". \t/>")));
}

Token token_of(std::string_view tag) {
  Token token{Kind::point, "", std::string(tag)};
  if (tag[0] == '{') return token;
  token.name = name_of(tag);
  if (is_time_tag(tag) || token.name == "v")
    token.kind = Kind::block;
  else if (!tag.ends_with("/>") && token.name != "br")
    token.kind = tag[1] == '/' ? Kind::close : Kind::open;
  return token;
}

// The length of the tag at the beginning of the text; 0: there is none.
std::size_t size_of_tag(std::string_view text) {
  const std::size_t end = text[0] == '{' ? text.find_first_of("{}", 1) : text.find_first_of("<>", 1);
  if (end == text.npos || text[end] == '{' || text[end] == '<') return 0;
  const std::string_view tag = text.substr(0, end + 1);
  return tag[0] == '<' && text::ascii::is_digit(tag[1]) && !is_time_tag(tag) ? 0 : tag.size();
}

// The length of the entity at the beginning of the text; 0: there is none.
std::size_t size_of_entity(std::string_view text) {
  constexpr std::size_t longest = 34;
  if (text[0] != '&') return 0;
  std::size_t end = 1;
  while (end < std::min(text.size(), longest) &&
         (text::ascii::is_letter(text[end]) || text::ascii::is_digit(text[end]) || (text[end] == '#' && end == 1)))
    ++end;
  return end > 1 && end < text.size() && text[end] == ';' ? end + 1 : 0;
}

Token entity_token(std::string_view raw) {
  std::string text = raw == "&amp;" ? "&" : raw == "&lt;" ? "<" : raw == "&gt;" ? ">" : without_entities(raw);
  return {Kind::text, "", std::string(raw), std::move(text)};
}

// Makes each entity a token of its own, so that the rest of the text needs no decoding.
void add_text(std::string_view raw, bool web, std::vector<Token>& tokens) {
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string text(raw.substr(begin, end - begin));
    if (!text.empty()) tokens.push_back({Kind::text, "", text, text});
  };
  for (std::size_t at = 0; web && (at = raw.find('&', at)) != raw.npos;) {
    const std::size_t size = size_of_entity(raw.substr(at));
    if (size > 0) {
      add(at);
      tokens.push_back(entity_token(raw.substr(at, size)));
      begin = at + size;
    }
    at += std::max<std::size_t>(size, 1);
  }
  add(raw.size());
}

}  // namespace

std::vector<Token> caption_tokens(std::string_view row, bool web) {
  std::vector<Token> tokens;
  const std::size_t last = row.find_last_of(">}");
  std::size_t begin = 0;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (last == row.npos || at > last) break;  // no tag ends after here
    if (!begins_tag(row.substr(at))) continue;
    const std::size_t size = size_of_tag(row.substr(at));
    if (size == 0) continue;
    add_text(row.substr(begin, at - begin), web, tokens);
    tokens.push_back(token_of(row.substr(at, size)));
    begin = at + size;
    at = begin - 1;
  }
  add_text(row.substr(begin), web, tokens);
  return tokens;
}

}  // namespace hexapla::text::document
