#pragma once
// Text replacements like the tokenizers' regular expressions: from left to right, without overlaps.
#include <string>
#include <string_view>

namespace hexapla::evaluate {

std::string replaced(std::string_view text, std::string_view from, std::string_view to);
// Replaces two neighbors that satisfy `first` and `second` by write(out, a, b).
template <class Char, class First, class Second>
std::basic_string<Char> replace_pairs(const std::basic_string<Char>& text, First first, Second second,
                                      void (*write)(std::basic_string<Char>&, Char, Char)) {
  std::basic_string<Char> out;
  size_t at = 0;
  for (; at + 1 < text.size(); ++at) {
    if (first(text[at]) && second(text[at + 1])) {
      write(out, text[at], text[at + 1]);
      ++at;
    } else {
      out += text[at];
    }
  }
  if (at < text.size()) out += text[at];
  return out;
}
template <class Char>
void pair_then_blank(std::basic_string<Char>& out, Char a, Char b) {  // "a b "
  out.append({a, ' ', b, ' '});
}
template <class Char>
void blank_then_pair(std::basic_string<Char>& out, Char a, Char b) {  // " a b"
  out.append({' ', a, ' ', b});
}

// Adds a blank on both sides of every character that satisfies `which`.
template <class Char, class Which>
std::basic_string<Char> apart(const std::basic_string<Char>& text, Which which) {
  std::basic_string<Char> out;
  for (const Char c : text) {
    if (which(c)) {
      out.append({' ', c, ' '});
    } else {
      out += c;
    }
  }
  return out;
}

std::string without_entities(std::string_view text);           // &quot; &amp; &lt; &gt;, in this order
std::string ascii_punctuation_apart(const std::string& text);  // except ' , - and .
std::string points_and_dashes_apart(const std::string& text);  // . and , not between digits; - after a digit
inline std::string western_punctuation_apart(const std::string& text) {
  return points_and_dashes_apart(ascii_punctuation_apart(text));
}

}  // namespace hexapla::evaluate
