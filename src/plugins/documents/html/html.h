#pragma once
// HTML pages and fragments with text to translate.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "documents/document.h"
#include "documents/pieces.h"
#include "documents/runs.h"
#include "documents/xml/xml_text.h"

namespace hexapla::text::document {

// The tags and texts of a page in order, as an HTML5 parser (Gumbo) reads them; concatenating all
// raw parts gives the page. An element that is not translated (a script, translate="no",
// class="notranslate") is a single token. DataError: elements are nested so deeply that parsing
// would take too long.
std::vector<Token> html_tokens(std::string_view html);
// parsed: the bytes to parse instead of the page's, of the same length; the tokens have the page's
// bytes.
std::vector<Token> html_tokens(std::string_view html, std::string_view parsed);

// The value of an attribute that people read. begin, end: its byte range in the page, without
// quotes.
struct HtmlAttribute {
  std::size_t begin, end;
  std::string text;
};
// Values of alt, title and placeholder, and the descriptions in <meta>, in page order. Throws
// DataError like html_tokens().
std::vector<HtmlAttribute> html_attributes(std::string_view html);

// For an element's name: whether it ends a line, and whether it has an end tag.
bool is_html_block(std::string_view name);
bool has_html_content(std::string_view name);

// The text as a browser shows it: &eacute; becomes a character.
std::string without_entities(std::string_view text);

// Throws DataError like html_tokens().
Pieces html_pieces(std::string_view html, text::Escape escape = with_entities);
// A page that is XML. name: its name in messages. Throws DataError like xml_events(), too.
Pieces xhtml_pieces(std::string_view xhtml, const std::string& name);
PiecesDocument html_document(const std::vector<std::string>& texts);

}  // namespace hexapla::text::document
