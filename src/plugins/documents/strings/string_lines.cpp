#include "documents/strings/string_lines.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "documents/runs.h"
#include "text/ascii.h"
#include "text/characters.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kMostTagsOfLine = 400;  // of a line: the work grows with their square

bool begins_name(char c) { return text::ascii::is_letter(c) || text::ascii::is_digit(c) || c == '/'; }

// The length of the tag at the beginning of the text; 0: there is none.
std::size_t size_of_placeholder(std::string_view text) {
  if (text.size() < 3 || text[0] != '<' || !begins_name(text[1])) return 0;
  const std::size_t end = text.find_first_of("<>", 1);
  return end == text.npos || text[end] == '<' ? 0 : end + 1;
}

Token tag_token(std::string_view tag) {
  const bool closes = tag[1] == '/';
  const std::string_view inside = tag.substr(closes ? 2 : 1);
  const std::string name(inside.substr(0, inside.find_first_of(" \t\r\n/>")));
  return {closes ? Kind::close : tag.ends_with("/>") ? Kind::point : Kind::open, name, std::string(tag)};
}

std::vector<Token> tokens_of_line(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t begin = 0;
  const auto add_text = [&](std::size_t end) {
    const std::string part(text.substr(begin, end - begin));
    if (!part.empty()) tokens.push_back({Kind::text, "", part, part});
  };
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) {
    const std::size_t size = size_of_placeholder(text.substr(at));
    if (size > 0) {
      add_text(at);
      tokens.push_back(tag_token(text.substr(at, size)));
      begin = at + size;
    }
    at += std::max<std::size_t>(size, 1);
  }
  add_text(text.size());
  if (tokens.size() <= 2 * kMostTagsOfLine) return tokens;
  return {{Kind::text, "", std::string(text), std::string(text)}};
}

// A tag without a partner ("<name>") is standalone.
text::MarkedLine marked_line(std::string_view text) {
  std::vector<Token> tokens = tokens_of_line(text);
  const std::vector<std::size_t> partner = partners_of(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind != Kind::text && partner[i] == kNoPartner) tokens[i].kind = Kind::point;
  return text::MarkedLine(line_parts(tokens));
}

}  // namespace

bool is_text(std::string_view text) {
  return text::has_letter(text) && !(text.find("://") != text.npos && text.find(' ') == text.npos);
}

std::string json_unescaped(std::string_view raw) {
  if (raw.find('\\') == raw.npos) return std::string(raw);
  const nlohmann::json text = json_or_null(cat('"', raw, '"'));
  return text.is_string() ? text.get<std::string>() : std::string(raw);
}

std::string json_escaped(std::string_view text) {
  const std::string quoted = json_text(nlohmann::json(text));
  return quoted.substr(1, quoted.size() - 2);
}

bool has_choices(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('{', at)) != text.npos; ++at) {
    const std::size_t comma = text.find_first_of(",{}", at + 1);
    if (comma == text.npos) return false;
    if (text[comma] != ',') continue;
    const std::string_view kind = text.substr(std::min(text.find_first_not_of(" \t\n", comma + 1), text.size()));
    if (kind.starts_with("plural") || kind.starts_with("select") || kind.starts_with("choice")) return true;
  }
  return false;
}

void add_string_line(std::string_view text, std::string_view raw, Pieces::Writing encoded, Pieces& pieces) {
  if (!is_text(text)) return pieces.keep(raw);
  pieces.add(marked_line(text), raw, std::move(encoded));
}

void add_string(std::string_view raw, const StringFormat& format, Pieces& pieces) {
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view line = raw.substr(begin, end - begin);
    add_string_line(format.decoded(line), line, format.encoded, pieces);
  };
  for (std::size_t at = 0; (at = raw.find('\\', at)) != raw.npos; at += 2) {
    const char c = at + 1 < raw.size() ? raw[at + 1] : ' ';
    if (c != 'n' && c != 'r' && c != 't') continue;
    add(at);
    pieces.keep(raw.substr(at, 2));
    if (c == 'n' && at + 2 < raw.size()) pieces.keep(format.after_line);
    begin = at + 2;
  }
  add(raw.size());
}

}  // namespace hexapla::text::document
