#pragma once
// The inline structure of a Markdown paragraph (CommonMark 0.30 with GitHub's strikethrough and
// autolinks).
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents/runs.h"

namespace hexapla::text::document {

using Labels = std::set<std::string>;
// Normalizes a reference label: case and blanks do not matter.
std::string markdown_label(std::string_view text);

// Emphasis and links become elements; code, images, addresses, footnotes and unpaired marks are
// standalone tokens; a hard line break is a block. A run of marks pairs only with one of the same
// length. Concatenating all raw parts gives the text. Takes linear time. labels: the defined
// references.
std::vector<Token> markdown_tokens(std::string_view text, const Labels& labels);

// Escapes the text so that Markdown shows it literally.
std::string with_backslashes(std::string_view text);

}  // namespace hexapla::text::document
