#include "documents/tags/tag_rules.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

bool is_end_tag(const Token& token) { return token.raw.starts_with("</"); }

// For each token that begins one of these elements, the index of its end; for all others, their own
// index.
std::vector<std::size_t> ends_of(const std::vector<Token>& tokens, const std::set<std::string>& names) {
  std::vector<std::size_t> ends(tokens.size());
  std::map<std::string, std::vector<std::size_t>> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ends[i] = i;
    if (tokens[i].kind == Kind::text || !names.contains(tokens[i].name)) continue;
    std::vector<std::size_t>& its = open[tokens[i].name];
    if (!is_end_tag(tokens[i])) {
      its.push_back(i);
    } else if (!its.empty()) {
      ends[its.back()] = i;
      its.pop_back();
    }
  }
  return ends;
}

// A block that is made inline becomes an ordinary tag; without a partner, it still ends a line.
void apply(Token& token, const TagRules& rules) {
  const bool element = !token.name.empty() && token.name.front() != '!';
  if (token.kind == Kind::text || !element) return;
  if (rules.splitting.contains(token.name))
    token.kind = Kind::block;
  else if (token.kind == Kind::block && (!rules.outline || rules.non_splitting.contains(token.name)))
    token.kind = is_end_tag(token) ? Kind::close : Kind::open;
}

}  // namespace

Pieces pieces_of(std::vector<Token> tokens, const TagRules& rules, text::Escape escape) {
  const std::vector<std::size_t> ends = ends_of(tokens, rules.ignored);
  Pieces pieces(std::move(escape));
  Runs runs(pieces);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    Token token = std::move(tokens[i]);
    if (ends[i] == i) {
      apply(token, rules);
    } else {
      for (const std::size_t begin = i; i < ends[begin];) token.raw += tokens[++i].raw;
      token.kind = Kind::point;
    }
    runs.add(std::move(token));
  }
  runs.finish();
  return pieces;
}

}  // namespace hexapla::text::document
