#pragma once
// Converts XML events to tokens.
#include <string>
#include <string_view>
#include <vector>

#include "documents/pieces.h"
#include "documents/runs.h"
#include "documents/tags/tag_rules.h"
#include "documents/xml/xml_events.h"

namespace hexapla::text::document {

// Adds a text event, keeping its line ends as written. A line end written as a reference (&#10;) is
// a block; with all_lines, every line end is.
void add_text(std::string_view xml, const XmlEvent& event, bool all_lines, std::vector<Token>& tokens);
// Tags, entities and others: an empty element is standalone, an HTML entity becomes its character.
Token token_of(std::string_view xml, const XmlEvent& event);

// The lines of a fragment or a whole document. If rules.outline is set, the tags of an element are
// blocks unless there is text beside it or beside any element around it. Elements within text are
// inline, except those with the name of a block and no text beside them (a list in the text of an
// item). Throws DataError like xml_events(). name: used in its messages.
Pieces xml_pieces(std::string_view xml, const std::string& name, const TagRules& rules);

}  // namespace hexapla::text::document
