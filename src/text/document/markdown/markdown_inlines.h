#pragma once
// The parts of a paragraph of Markdown (CommonMark 0.30 with GitHub's strikethrough and addresses).
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/document/runs.h"

namespace hexapla::text::document {

using Labels = std::set<std::string>;
// As references are compared: case and blanks do not matter.
std::string markdown_label(std::string_view text);

// labels: those that are defined. Emphasis and links are elements; code, images, addresses, footnotes and marks without
// a partner stand for themselves; a hard line break is a block. A run of marks pairs with one of the same length. All
// raw parts together are the text. Linear.
std::vector<Token> markdown_tokens(std::string_view text, const Labels& labels);

// The text so that Markdown shows it.
std::string with_backslashes(std::string_view text);

}  // namespace hexapla::text::document
