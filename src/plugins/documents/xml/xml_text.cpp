#include "documents/xml/xml_text.h"

#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

// The reference for a character, or the character itself.
std::string_view entity_for(std::string_view c) {
  if (c == "&") return "&amp;";
  if (c == "<") return "&lt;";
  if (c == ">") return "&gt;";
  return c;
}

// A literal CR would be read as a line feed.
std::string_view xml_character(std::string_view c) {
  if (c == "\r") return "&#13;";
  const bool control = c[0] >= 0 && c[0] < ' ' && c != "\t" && c != "\n";
  return control || c == "\uFFFE" || c == "\uFFFF" ? kReplacement : entity_for(c);
}

std::string_view attribute_character(std::string_view c) {
  if (c == "\"") return "&quot;";
  if (c == "'") return "&apos;";
  if (c == "\t") return "&#9;";
  return c == "\n" ? "&#10;" : xml_character(c);
}

template <class Write>
std::string written(std::string_view text, Write&& write) {
  std::string all;
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
    bytes = text::character_bytes(text.substr(at));
    all += write(text.substr(at, bytes));
  }
  return all;
}

}  // namespace

std::string with_entities(std::string_view text) { return written(text, entity_for); }

std::string xml_text(std::string_view text) { return written(text::clean_utf8(text), xml_character); }

std::string xml_attribute(std::string_view text) { return written(text::clean_utf8(text), attribute_character); }

}  // namespace hexapla::text::document
