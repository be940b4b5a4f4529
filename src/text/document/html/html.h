#pragma once
// HTML pages and fragments, whose text is translated.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/document.h"
#include "text/document/pieces.h"
#include "text/document/runs.h"
#include "text/document/xml/xml_text.h"

namespace hexapla::text::document {

// The tags and texts of a page in its order, as an HTML5 parser (Gumbo) reads it; all raw parts together are the page.
// An element that is not translated (a script, translate="no", class="notranslate") is one token. DataError: elements
// are nested so deeply that parsing would take too long.
std::vector<Token> html_tokens(std::string_view html);
// parsed: what the parser reads in its place, of the same length; the tokens have the page's bytes.
std::vector<Token> html_tokens(std::string_view html, std::string_view parsed);

// A value that people read; begin, end: of it in the page, without quotes.
struct HtmlAttribute {
  std::size_t begin, end;
  std::string text;
};
// alt, title, placeholder, and the descriptions in <meta>; in the order of the page. DataError as html_tokens().
std::vector<HtmlAttribute> html_attributes(std::string_view html);

// By the name of an element: whether it ends a line, and whether it has an end tag.
bool is_html_block(std::string_view name);
bool has_html_content(std::string_view name);

// A text without tags as a browser shows it: &eacute; is a character.
std::string without_entities(std::string_view text);

// DataError as html_tokens().
Pieces html_pieces(std::string_view html, text::Escape escape = with_entities);
// A page that is XML. name: of it, for messages. DataError as xml_events(), too.
Pieces xhtml_pieces(std::string_view xhtml, const std::string& name);
PiecesDocument html_document(const std::vector<std::string>& texts);

}  // namespace hexapla::text::document
