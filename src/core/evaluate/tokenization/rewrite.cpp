#include "evaluate/tokenization/rewrite.h"

#include <utility>

namespace hexapla::evaluate {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool point(char c) { return c == '.' || c == ','; }

// [\{-\~\[-\` -\&\(-\+\:-\@\/]
bool punctuation(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

}  // namespace

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at; (at = text.find(from)) != std::string_view::npos; text.remove_prefix(at + from.size())) {
    out.append(text.substr(0, at)).append(to);
  }
  return out.append(text);
}

std::string without_entities(std::string_view text) {
  std::string out(text);
  if (out.find('&') == std::string::npos) return out;
  for (const auto& [from, to] : {std::pair{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}) {
    out = replaced(out, from, to);
  }
  return out;
}

std::string ascii_punctuation_apart(const std::string& text) { return apart(text, punctuation); }

// Works on bytes: the bytes of a multi-byte character are neither digits nor points.
std::string points_and_dashes_apart(const std::string& text) {
  const auto other = [](char c) { return !digit(c); };
  const auto dash = [](char c) { return c == '-'; };
  const std::string once = replace_pairs(text, other, point, pair_then_blank<char>);
  const std::string twice = replace_pairs(once, point, other, blank_then_pair<char>);
  return replace_pairs(twice, digit, dash, pair_then_blank<char>);
}

}  // namespace hexapla::evaluate
