#pragma once
// HTML pages and fragments, whose text is translated.
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "document/pieces.h"
#include "document/runs.h"
#include "document/xml/xml_text.h"

namespace hexapla::document {

// The tags and texts of a page in its order, as an HTML5 parser (Gumbo) reads it; all raw parts together are the page.
// An element that is not translated (a script, translate="no", class="notranslate") is one token. DataError: elements
// are nested so deeply that parsing would take too long.
std::vector<Token> html_tokens(std::string_view html);

// DataError as html_tokens().
Pieces html_pieces(std::string_view html, text::Escape escape = with_entities);
PiecesDocument html_document(const std::vector<std::string>& texts);

}  // namespace hexapla::document
