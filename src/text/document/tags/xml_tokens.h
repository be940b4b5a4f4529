#pragma once
// Events of XML as tags and texts of lines.
#include <string>
#include <string_view>
#include <vector>

#include "text/document/pieces.h"
#include "text/document/runs.h"
#include "text/document/tags/tag_rules.h"
#include "text/document/xml/xml_events.h"

namespace hexapla::text::document {

// A text event, whose line ends stay as they are written. One that is written as a reference (&#10;) is a block, and
// with all_lines every other, too.
void add_text(std::string_view xml, const XmlEvent& event, bool all_lines, std::vector<Token>& tokens);
// Tags, entities and others: an empty element stands for itself, an entity of HTML is its character.
Token token_of(std::string_view xml, const XmlEvent& event);

// The lines of a fragment or a whole document. Where rules.outline says so, the tags of an element are blocks if no
// text stands beside it in the element around it, and neither beside that. Within a text an element is inline, unless
// no text stands beside it and others of its name are blocks (a list in the text of an item). DataError as
// xml_events(); name: for it.
Pieces xml_pieces(std::string_view xml, const std::string& name, const TagRules& rules);

}  // namespace hexapla::text::document
