#include "text/plain_line.h"

#include <vector>

#include "text/utf8.h"

namespace hexapla::text {
namespace {

bool breaks_a_line(std::string_view character) {
  return (character[0] >= '\t' && character[0] <= '\r') || character == "\u0085" || character == "\u2028" ||
         character == "\u2029";
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

// The replacement on the line for a character, or for an invalid byte.
std::string_view on_a_line(std::string_view character) {
  if (character.size() == 1 && static_cast<unsigned char>(character[0]) >= 0x80) return "\uFFFD";
  if (breaks_a_line(character)) return " ";
  return is_control(character) ? std::string_view() : character;
}

}  // namespace

std::string plain_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::string_view character = text.substr(0, character_bytes(text));
    line += on_a_line(character);
    text.remove_prefix(character.size());
  }
  return line;
}

void make_plain_line(std::string& text, std::span<TokenSpan> spans) {
  std::string line;
  std::vector<size_t> moved;  // new position of each byte, and of the end
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view character = rest.substr(0, character_bytes(rest)), now = on_a_line(character);
    // Spans of byte-fallback pieces may begin inside a character.
    for (size_t i = 0; i < character.size(); ++i) moved.push_back(line.size() + (now == character ? i : 0));
    line += now;
    rest.remove_prefix(character.size());
  }
  moved.push_back(line.size());
  for (TokenSpan& span : spans) span = {moved[span.from], moved[span.to]};
  text = std::move(line);
}

}  // namespace hexapla::text
